import { readGrants } from '../domain/grants.ts';
import type { Audience, Guide } from '../domain/guide.ts';
import { allows } from '../domain/principal.ts';
import type { Account } from './accounts/account.ts';

export interface EmailGuideParts {
  ready(): Promise<void>;
  /** The accounts as they were last listed. */
  known(): readonly Pick<Account, 'id' | 'email' | 'smtp'>[];
  onChange(listener: () => void): () => void;
}

/** Works without an account: it says that there is none. */
const ALWAYS = 'list_accounts';
const USES = [
  ['search_emails', 'searches'],
  ['read_email', 'reads'],
  ['compose_email', 'and reply_to_email write drafts'],
  ['send_email', 'sends'],
] as const;

/** What models are told of email: the accounts that a client may read. */
export function emailGuide({ ready, known, onChange }: EmailGuideParts): Guide {
  function granted({ principal }: Audience) {
    const { everything, sources } = readGrants(principal);
    return known().filter(({ id }) => everything || sources.has(id));
  }

  return {
    ready,
    onChange,
    canWork: (tool, audience) => tool === ALWAYS || granted(audience).length > 0,
    introduction(audience, named) {
      if (!allows(audience.principal, 'email:read')) return undefined;
      const accounts = granted(audience);
      if (accounts.length === 0) return { text: 'Email: no account is configured.' };
      const uses = USES.filter(([tool]) => named(tool) !== undefined).map(([tool, does]) => `${tool} ${does}`);
      return {
        text: `Email: ${uses.join(', ')}. Accounts:`,
        names: accounts.map(({ id, email }) => `${id} (${email})`),
      };
    },
    describe(tool, audience) {
      const names = granted(audience).map(({ id }) => id);
      return tool === 'search_emails' && names.length > 0 ? { text: 'Accounts:', names } : undefined;
    },
  };
}
