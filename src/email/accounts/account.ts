import type { AccountRow } from '../ports.ts';
import { AccountSchema, type AccountSettings } from '../settings.ts';

/** An email account, wherever it is configured. It holds no secret but the password of a configuration file. */
export interface Account {
  id: string;
  /** The display name; its id by default. */
  name: string;
  email: string;
  provider: string;
  /** Accounts in the file are changed there only. */
  configuredIn: 'file' | 'store';
  settings: AccountSettings;
}

export interface Accounts {
  /** Those of the file first, then those that were added by a command. */
  list(): Promise<readonly Account[]>;
}

interface AccountsParts {
  configured(): Promise<Readonly<Record<string, AccountSettings>>>;
  stored(): Promise<readonly AccountRow[]>;
}

export function createAccounts({ configured, stored }: AccountsParts): Accounts {
  return {
    async list() {
      const [inFile, rows] = await Promise.all([configured(), stored()]);
      // The file takes precedence: an id that was added to it later is no longer that of the row.
      const added = rows.filter(({ id }) => !Object.hasOwn(inFile, id));
      return [
        ...Object.entries(inFile).map(([id, settings]) => toAccount(id, settings, 'file')),
        ...added.map(({ id, settings }) => toAccount(id, AccountSchema.parse(settings), 'store')),
      ];
    },
  };
}

function toAccount(id: string, settings: AccountSettings, configuredIn: Account['configuredIn']): Account {
  const { name = id, email, provider } = settings;
  return { id, name, email, provider, configuredIn, settings };
}
