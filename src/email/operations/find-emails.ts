import { parseQuery } from '../../domain/search-query/parse.ts';
import { allOf, type SearchQuery } from '../../domain/search-query/query.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Accounts } from '../accounts/account.ts';
import { resolveAccount } from '../accounts/resolve-account.ts';
import type { FoundEmail, LookupParts } from './chosen-emails.ts';

export interface EmailSearchParts extends LookupParts {
  accounts: Accounts;
  clock: Clock;
}

export interface EmailSearch {
  query?: string | undefined;
  account?: string | undefined;
  folder?: string | undefined;
  unreadOnly?: boolean;
  limit: number;
  /** Id of the last email of the page before. */
  cursor?: string | undefined;
}

/** Emails that match, newest first. Those in the trash and among junk only where the folder is named. */
export async function findMatching(
  search: EmailSearch,
  { accounts, mail, messages, clock }: EmailSearchParts,
): Promise<{ found: readonly FoundEmail[]; hasMore: boolean; query?: SearchQuery }> {
  const all = await accounts.list();
  const chosen = search.account === undefined ? all : [resolveAccount(all, search.account)];
  const query = queryOf(search, clock.now());
  const page = await messages.find(
    { sources: chosen.map(({ id }) => id), skipDiscarded: search.folder === undefined, ...(query ? { query } : {}) },
    { limit: search.limit, ...(search.cursor === undefined ? {} : { beforeId: search.cursor }) },
  );
  const emails = new Map((await mail.byIds(page.messages.map(({ id }) => id))).map((email) => [email.id, email]));
  const found = page.messages.flatMap((message) => {
    const email = emails.get(message.id);
    return email ? [{ message, email }] : [];
  });
  return { found, hasMore: page.hasMore, ...(query ? { query } : {}) };
}

function queryOf({ query, folder, unreadOnly }: EmailSearch, now: number): SearchQuery | undefined {
  const asked =
    query === undefined || query.trim() === '' ? [] : [parseQuery(query, { now, code: 'VALIDATION_ERROR' })];
  const [first, ...others] = [
    ...asked,
    ...(folder === undefined ? [] : [{ kind: 'in', text: folder } as const]),
    ...(unreadOnly ? [{ kind: 'is', what: 'unread' } as const] : []),
  ];
  return first && allOf([first, ...others]);
}
