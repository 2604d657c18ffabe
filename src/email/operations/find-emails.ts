import { type SearchAttempt, searchAttempts } from '../../domain/search-query/attempts.ts';
import { parseQuery } from '../../domain/search-query/parse.ts';
import { allOf, type SearchQuery } from '../../domain/search-query/query.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Accounts } from '../accounts/account.ts';
import { resolveAccount } from '../accounts/resolve-account.ts';
import type { FoundEmail, LookupParts, ReadableMessages } from './chosen-emails.ts';

export interface EmailSearchParts extends LookupParts {
  accounts: Pick<Accounts, 'list'>;
  clock: Clock;
}

export interface EmailSearch {
  query?: string | undefined;
  account?: string | undefined;
  folder?: string | undefined;
  unreadOnly?: boolean;
  limit: number;
  cursor?: string | undefined;
}

export interface EmailMatches {
  found: readonly FoundEmail[];
  hasMore: boolean;
  /** Cursor of the page after an email of this id. */
  cursorAfter(id: string): string;
  /** What is marked in the texts; missing if all emails were listed. */
  marked?: SearchAttempt['marked'];
}

/** Later pages are searched in the same way as the first one. */
export const CURSOR = /^(words|part|query|all)\.(\d{1,16})$/;

/** Emails that match, newest first. Those in the trash and among junk only where their folder is named. */
export async function findMatching(search: EmailSearch, parts: EmailSearchParts): Promise<EmailMatches> {
  const { accounts, messages, clock } = parts;
  const all = await accounts.list();
  const chosen = search.account === undefined ? all : [resolveAccount(all, search.account)];
  const [, kind, beforeId] = CURSOR.exec(search.cursor ?? '') ?? [];
  const page = { limit: search.limit, ...(beforeId === undefined ? {} : { beforeId }) };
  const sources = chosen.map(({ id }) => id);
  for (const attempt of attemptsFor(search, clock.now())) {
    const name = attempt?.kind ?? 'all';
    if (kind !== undefined && kind !== name) continue;
    const result = await messages.find(
      { sources, skipDiscarded: search.folder === undefined, ...attempt?.filter },
      page,
    );
    if (result.messages.length === 0) continue;
    return {
      found: await withEmails(result.messages, parts),
      hasMore: result.hasMore,
      cursorAfter: (id) => `${name}.${id}`,
      ...(attempt ? { marked: attempt.marked } : {}),
    };
  }
  return { found: [], hasMore: false, cursorAfter: (id) => `all.${id}` };
}

function attemptsFor(search: EmailSearch, now: number): readonly (SearchAttempt | undefined)[] {
  const query = queryOf(search, now);
  return query ? searchAttempts(query) : [undefined];
}

function queryOf({ query, folder, unreadOnly }: EmailSearch, now: number): SearchQuery | undefined {
  const asked =
    query === undefined || query.trim() === '' ? [] : [parseQuery(query, { now, code: 'VALIDATION_ERROR' })];
  const [first, ...others] = [
    ...asked,
    ...(folder === undefined ? [] : [{ kind: 'folder', text: folder } as const]),
    ...(unreadOnly ? [{ kind: 'is', what: 'unread' } as const] : []),
  ];
  return first && allOf([first, ...others]);
}

async function withEmails(
  messages: Awaited<ReturnType<ReadableMessages['find']>>['messages'],
  { mail }: Pick<LookupParts, 'mail'>,
): Promise<FoundEmail[]> {
  const emails = new Map((await mail.byIds(messages.map(({ id }) => id))).map((email) => [email.id, email]));
  return messages.flatMap((message) => {
    const email = emails.get(message.id);
    return email ? [{ message, email }] : [];
  });
}
