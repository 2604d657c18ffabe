import { folderRoleNamed } from '../../domain/email.ts';
import { type SearchAttempt, searchAttempts } from '../../domain/search-query/attempts.ts';
import { parseQuery } from '../../domain/search-query/parse.ts';
import { allOf, anyOf, mapTerms, type SearchQuery, termsOf } from '../../domain/search-query/query.ts';
import { findPage } from '../../domain/search-query/search-pages.ts';
import type { Clock } from '../../lib/clock.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { ACCOUNT_KIND, type Account, type Accounts } from '../accounts/account.ts';
import { resolveAccount } from '../accounts/resolve-account.ts';
import { noFolder } from '../mailbox/change-emails.ts';
import type { FoundEmail, LookupParts, ReadableMessages } from './chosen-emails.ts';

export interface EmailSearchParts extends LookupParts {
  accounts: Pick<Accounts, 'list'>;
  wholeAccounts: Pick<Accounts, 'list'>;
  clock: Clock;
}

export interface EmailSearch {
  query?: string | undefined;
  account?: string | undefined;
  folder?: string | undefined;
  unreadOnly?: boolean;
  limit: number;
  cursor?: string | undefined;
  /** For changes: if emails contain exactly what was typed, none that only have its words. */
  isStrict?: boolean;
}

export interface EmailMatches {
  /** `marked`: what is marked in the text; missing if all emails were listed. */
  found: readonly (FoundEmail & { marked?: SearchAttempt['marked'] })[];
  /** Cursor of the next page. */
  next?: string;
  /** Cursor of the page after an email of this id. */
  cursorAfter(id: string): string | undefined;
}

/** Emails that match, newest first. Those in the trash and among junk only where their folder is named. */
export async function findMatching(search: EmailSearch, parts: EmailSearchParts): Promise<EmailMatches> {
  const { accounts, messages, clock } = parts;
  const all = await accounts.list();
  const chosen = search.account === undefined ? all : [resolveAccount(all, search.account)];
  const sources = chosen.map(({ id }) => id);
  const asked = queryOf(search, clock.now());
  const query = asked && withAccounts(asked, all);
  if (query) await checkFolders(query, sources, parts);
  const { groups, next, cursorAfter } = await findPage(
    attemptsFor(query, search),
    { limit: search.limit, cursor: search.cursor },
    (filter, page) => messages.find({ sources, skipDiscarded: search.folder === undefined, ...filter }, page),
  );
  const found = await Promise.all(
    groups.map(async ({ attempt: { marked }, messages }) =>
      (await withEmails(messages, parts)).map((email) => ({ ...email, ...(marked ? { marked } : {}) })),
    ),
  );
  return { found: found.flat(), cursorAfter, ...(next === undefined ? {} : { next }) };
}

/** Without a query, all emails. */
type EmailAttempt = Pick<SearchAttempt, 'filter'> & { kind: string; marked?: SearchAttempt['marked'] };

function attemptsFor(query: SearchQuery | undefined, search: EmailSearch): readonly EmailAttempt[] {
  if (!query) return [{ kind: 'all', filter: {} }];
  const attempts = searchAttempts(query);
  return search.isStrict ? attempts.map(strict) : attempts;
}

/** Examines all emails, and is followed by no looser ones. */
function strict(attempt: SearchAttempt): EmailAttempt {
  if (attempt.kind !== 'exact') return attempt;
  return { ...attempt, kind: 'query', filter: { ...attempt.filter, typed: { kind: 'only' } } };
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

/** `source:work` by the id. An account that there is not would find nothing, or exclude nothing, without a word. */
function withAccounts(query: SearchQuery, accounts: readonly Account[]): SearchQuery {
  const byId = ({ id }: Account) => ({ kind: 'source', text: id }) as const;
  return mapTerms(query, (term) => {
    if (term.kind !== 'source') return term;
    const [first, ...others] = accounts;
    const isKind = term.text.toLowerCase() === ACCOUNT_KIND;
    return first && isKind
      ? anyOf([byId(first), ...others.map(byId)])
      : byId(resolveAccount(accounts, term.text, 'query'));
  });
}

/** A folder that there is not would find nothing, or exclude nothing, without a word. Throws NOT_FOUND. */
async function checkFolders(
  query: SearchQuery,
  sources: readonly string[],
  { wholeAccounts, mail, messages }: EmailSearchParts,
): Promise<void> {
  const whole = (await wholeAccounts.list()).map(({ id }) => id);
  // Who may read only some conversations of an account does not learn what folders it has.
  if (sources.length === 0 || !sources.every((id) => whole.includes(id))) return;
  for (const term of termsOf(query)) {
    if ((term.kind !== 'folder' && term.kind !== 'in') || folderRoleNamed(term.text) !== undefined) continue;
    const named = await Promise.all(sources.map((id) => mail.foldersNamed(id, term.text)));
    if (named.some(({ length }) => length > 0)) continue;
    // A conversation, perhaps.
    if (term.kind === 'in' && (await messages.find({ sources, query: term }, { limit: 1 })).messages.length > 0)
      continue;
    throw noFolder(`There is no folder ${quotedName(term.text)}.`, term.kind === 'in' ? 'query' : 'folder');
  }
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
