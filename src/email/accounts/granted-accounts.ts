import { readGrants } from '../../domain/grants.ts';
import type { Principal } from '../../domain/principal.ts';
import type { WritingAccounts } from '../drafts/parts.ts';
import type { Accounts } from './account.ts';
import { resolveAccount } from './resolve-account.ts';

/** Accounts as far as they are granted to a caller. */
export interface GrantedAccounts {
  /** Those of which at least one conversation is granted. */
  accounts: Accounts;
  /** Those of which all is granted: only in these can new emails be written. */
  wholeAccounts: Accounts;
  writingAccounts: WritingAccounts;
}

export function grantedAccounts(
  { accounts, writingAccounts }: Pick<GrantedAccounts, 'accounts' | 'writingAccounts'>,
  principal: Principal,
): GrantedAccounts {
  const { everything, sources } = readGrants(principal);
  if (everything) return { accounts, wholeAccounts: accounts, writingAccounts };
  const wholeAccounts = limited(accounts, (id) => sources.get(id) === '*');
  return {
    accounts: limited(accounts, (id) => sources.has(id)),
    wholeAccounts,
    writingAccounts: {
      byId: (id) => writingAccounts.byId(id),
      resolve: async (wanted) => writingAccounts.resolve((await wholeAccounts.resolve(wanted)).id),
    },
  };
}

function limited(accounts: Accounts, isGranted: (id: string) => boolean): Accounts {
  const list = async () => (await accounts.list()).filter(({ id }) => isGranted(id));
  return { list, resolve: async (wanted) => resolveAccount(await list(), wanted) };
}
