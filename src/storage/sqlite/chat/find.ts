import type { MessageFilter, MessagePage, PageRequest } from '../../../chat/ports.ts';
import type { Database } from '../database.ts';
import { searchedTexts } from './index-row.ts';
import { wordsMatch } from './match.ts';
import { partCandidates } from './part-search.ts';
import { messagesOf, parseExtra, thatFit } from './rows.ts';
import { type Scope, scopeOf } from './scope.ts';
import { type Candidate, walk } from './walk.ts';
import { fold } from './words.ts';

const NOTHING: MessagePage = { messages: [], hasMore: false };

export async function findMessages(db: Database, filter: MessageFilter, page: PageRequest): Promise<MessagePage> {
  const scope = await db.read((reader) => scopeOf(reader, filter, page));
  if (!scope) return NOTHING;
  // One more than asked for tells whether there are others.
  const found = await take(search(db, filter, scope, page), page.offset ?? 0, page.limit + 1);
  return db.read((reader) => {
    const shown = thatFit(reader, found.slice(0, page.limit));
    return { messages: messagesOf(reader, shown), hasMore: found.length > shown.length };
  });
}

async function take(found: AsyncIterable<number[]>, skipped: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const some of found) {
    ids.push(...some);
    if (ids.length >= skipped + count) break;
  }
  return ids.slice(skipped, skipped + count);
}

/** The ids of what fits, newest first. */
async function* search(
  db: Database,
  { text }: MessageFilter,
  scope: Scope,
  { limit, offset = 0 }: PageRequest,
): AsyncGenerator<number[]> {
  const expected = limit + offset + 1;
  const phrases = text?.kind === 'words' ? wordsMatch(text.text) : [];
  if (!text || phrases.length > 0) {
    yield* walk(db, withPhrases(scope, phrases), expected);
    return;
  }
  // What has no word in it, such as "?!", is looked for as it is.
  const part = fold(text.text).trim();
  // Nothing but accents or what cannot be seen: it would be in every message.
  if (part === '') return;
  for await (const rows of partCandidates(db, scope, part, expected)) {
    yield rows.filter((row) => says(row, part)).map(({ id }) => id);
  }
}

/** The index of a chat knows nothing of words. */
function withPhrases(scope: Scope, phrases: readonly string[]): Scope {
  if (phrases.length === 0) return scope;
  const { chat: _, ...wide } = scope;
  return { ...wide, match: [...scope.match, ...phrases] };
}

function says({ text, deleted_at: deletedAt, extra }: Candidate, part: string): boolean {
  if (deletedAt !== null) return false;
  return searchedTexts(text, parseExtra(extra).attachments).some((each) => fold(each).includes(part));
}
