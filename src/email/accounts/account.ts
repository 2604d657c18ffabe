import type { AccountRow } from '../ports.ts';
import { AccountSchema, type AccountSettings, type ServerSettings } from '../settings.ts';
import { type Preset, presetNamed, presetOfHost } from './presets.ts';
import { resolveAccount } from './resolve-account.ts';

/** The kind of an account as a source of chat. */
export const ACCOUNT_KIND = 'email';

/** An email account, wherever it is configured. The only secrets in it are those of a configuration file. */
export interface Account {
  id: string;
  /** Its name for the user; its id by default. */
  name: string;
  email: string;
  provider: string;
  /** Accounts in the file are changed there only. */
  configuredIn: 'file' | 'store';
  imap: ServerSettings;
  /** Missing where it cannot send. */
  smtp?: ServerSettings;
  settings: AccountSettings;
}

export interface Accounts {
  /** Those of the file first, then those that were added by a command. */
  list(): Promise<readonly Account[]>;
  /** By a reference of a caller, see `resolveAccount`; the only account where it is missing. */
  resolve(wanted?: string): Promise<Account>;
}

interface AccountsParts {
  configured(): Promise<Readonly<Record<string, AccountSettings>>>;
  stored(): Promise<readonly AccountRow[]>;
}

export function createAccounts({ configured, stored }: AccountsParts): Accounts {
  async function list(): Promise<readonly Account[]> {
    const [inFile, rows] = await Promise.all([configured(), stored()]);
    // The file takes precedence: an id that was added to it later is no longer that of the row.
    const added = rows.filter(({ id }) => !Object.hasOwn(inFile, id));
    return [
      ...Object.entries(inFile).map(([id, settings]) => toAccount(id, settings, 'file')),
      ...added.map(({ id, settings }) => toAccount(id, AccountSchema.parse(settings), 'store')),
    ];
  }

  return { list, resolve: async (wanted) => resolveAccount(await list(), wanted) };
}

export function toAccount(id: string, settings: AccountSettings, configuredIn: Account['configuredIn']): Account {
  const { name = id, email, provider } = settings;
  const preset = presetNamed(provider);
  const { imap = preset?.imap, smtp = preset?.smtp } = settings;
  if (!imap) throw new Error('the schema requires a server');
  return { id, name, email, provider, configuredIn, imap, ...(smtp ? { smtp } : {}), settings };
}

/** What is known about the account's provider, also where the file names only its servers. */
export function presetOf({ provider, imap }: Pick<Account, 'provider' | 'imap'>): Preset | undefined {
  return presetNamed(provider) ?? presetNamed(presetOfHost(imap.host) ?? '');
}
