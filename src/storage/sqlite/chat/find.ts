import type { MessageFilter, MessagePage, PageRequest } from '../../../chat/ports.ts';
import type { Database } from '../database.ts';
import { searchedTexts } from './index-row.ts';
import { wordsMatch } from './match.ts';
import { messagesOf, parseExtra } from './rows.ts';
import { type Scope, scopeOf } from './scope.ts';
import { type Candidate, walk } from './walk.ts';
import { fold } from './words.ts';

const NOTHING: MessagePage = { messages: [], hasMore: false };

export async function findMessages(db: Database, filter: MessageFilter, page: PageRequest): Promise<MessagePage> {
  const scope = await db.read((reader) => scopeOf(reader, filter, page));
  if (!scope) return NOTHING;
  // One more than asked for tells whether there are others.
  const found = await take(search(db, filter, scope, page), page.offset ?? 0, page.limit + 1);
  const messages = await db.read((reader) => messagesOf(reader, found.slice(0, page.limit)));
  return { messages, hasMore: found.length > page.limit };
}

async function take({ candidates, fits }: Search, skipped: number, count: number): Promise<number[]> {
  const found: number[] = [];
  let toSkip = skipped;
  for await (const rows of candidates) {
    for (const row of rows) {
      if (!fits(row)) continue;
      if (toSkip > 0) toSkip -= 1;
      else found.push(row.id);
      if (found.length === count) return found;
    }
  }
  return found;
}

interface Search {
  candidates: AsyncIterable<Candidate[]>;
  fits(candidate: Candidate): boolean;
}

function search(db: Database, { text }: MessageFilter, scope: Scope, page: PageRequest): Search {
  const expected = page.limit + (page.offset ?? 0) + 1;
  if (text === undefined) return { candidates: walk(db, scope, expected), fits: (row) => isWithin(row, scope) };
  const phrases = text.kind === 'words' ? wordsMatch(text.text) : [];
  if (phrases.length > 0) {
    const { chat: _, ...wide } = scope;
    return {
      candidates: walk(db, { ...wide, match: [...scope.match, ...phrases] }, expected),
      fits: (row) => isWithin(row, scope),
    };
  }
  // What has no word in it, such as "?!", is looked for as it is.
  const part = fold(text.text).trim();
  return {
    candidates: walk(db, scope, expected),
    fits: (row) => row.deleted_at === null && isWithin(row, scope) && has(row, part),
  };
}

function isWithin({ at, sender }: Candidate, { since, before, senders }: Scope): boolean {
  return (
    (since === undefined || at >= since) &&
    (before === undefined || at < before) &&
    (senders === undefined || senders.has(sender))
  );
}

function has({ text, extra }: Candidate, part: string): boolean {
  return searchedTexts(text, parseExtra(extra).attachments).some((each) => fold(each).includes(part));
}
