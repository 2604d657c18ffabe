import type { MessageFilter, MessagePage, PageRequest, TextQuery } from '../../../chat/ports.ts';
import type { Database } from '../database.ts';
import { fold } from './fold.ts';
import { prefixPhrases, wordPhrases } from './fts-expression.ts';
import { withExpressions } from './query-scope.ts';
import { isSignsOnly } from './query-terms.ts';
import { MAX_RANKED, rank } from './rank.ts';
import { messagesOf, withinByteLimit } from './rows.ts';
import { scanIds } from './scan.ts';
import { type CheckBudget, type SearchScope, toSearchScope } from './search-scope.ts';
import { substringIds } from './substring-search.ts';

const EMPTY_PAGE: MessagePage = { messages: [], hasMore: false };

export async function findMessages(db: Database, filter: MessageFilter, page: PageRequest): Promise<MessagePage> {
  const found = await db.read((reader) => toSearchScope(reader, filter, page));
  if (!found) return EMPTY_PAGE;
  const { typed, query } = filter;
  // Of very many chats, candidates are checked one by one. Where that ends must not tell of messages in others.
  const isLimited = typed?.kind === 'only' && typed.maxExamined !== undefined && !found.chats;
  // Older messages are among those that only resemble the text. Nothing resembles signs alone.
  if (!isLimited || (query && isSignsOnly(query))) return findInScope(db, filter, found, page);
  const budget: CheckBudget = { left: typed.maxExamined ?? 0 };
  const result = await findInScope(db, filter, { ...found, budget }, page);
  return { ...result, ...(budget.cutAt === undefined ? {} : { examinedFrom: String(budget.cutAt) }) };
}

async function findInScope(
  db: Database,
  filter: MessageFilter,
  scope: SearchScope,
  page: PageRequest,
): Promise<MessagePage> {
  if (page.sort === 'relevance') return findByRelevance(db, filter, scope, page);
  // One more than requested, to know whether there are more.
  const found = await collect(search(db, filter, scope, page), page.offset ?? 0, page.limit + 1);
  return db.read((reader) => {
    const shown = withinByteLimit(reader, found.slice(0, page.limit));
    return { messages: messagesOf(reader, shown), hasMore: found.length > shown.length };
  });
}

async function findByRelevance(
  db: Database,
  filter: MessageFilter,
  scope: SearchScope,
  { limit, offset = 0 }: PageRequest,
): Promise<MessagePage> {
  const found = await collect(search(db, filter, scope, { limit: MAX_RANKED }), 0, MAX_RANKED);
  const ranked = (await rank(db, found, filter)).slice(offset);
  return db.read((reader) => {
    const ids = ranked.slice(0, limit).map(({ id }) => id);
    const shown = withinByteLimit(reader, ids);
    const messages = messagesOf(reader, shown);
    const scores = new Map(ranked.map(({ id, score }) => [String(id), score]));
    return {
      messages,
      scores: messages.map(({ id }) => scores.get(id) ?? 0),
      hasMore: ranked.length > shown.length,
    };
  });
}

async function collect(found: AsyncIterable<number[]>, skipped: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const some of found) {
    ids.push(...some);
    if (ids.length >= skipped + count) break;
  }
  return ids.slice(skipped, skipped + count);
}

/** Ids of matching messages, newest first. */
async function* search(
  db: Database,
  { text }: MessageFilter,
  scope: SearchScope,
  { limit, offset = 0 }: PageRequest,
): AsyncGenerator<number[]> {
  const expected = limit + offset + 1;
  const phrases = text ? phrasesOf(text) : [];
  if (!text || phrases.length > 0) {
    yield* scanIds(db, withExpressions(scope, phrases), expected);
    return;
  }
  if (text.kind === 'prefixes') return;
  // A query without any word, such as "?!", is searched as a substring.
  const substring = fold(text.text).trim();
  // Only accents or invisible characters: every message would match.
  if (substring === '') return;
  yield* substringIds(db, scope, substring, expected);
}

function phrasesOf({ kind, text }: TextQuery): string[] {
  if (kind === 'words') return wordPhrases(text);
  return kind === 'prefixes' ? prefixPhrases(text) : [];
}
