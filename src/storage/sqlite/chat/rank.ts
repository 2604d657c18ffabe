import type { MessageFilter } from '../../../chat/ports.ts';
import { positiveTerms } from '../../../domain/search-query/query.ts';
import type { Database, Reader } from '../database.ts';
import { mayBecomeAscii } from './contains-text.ts';
import { fold } from './fold.ts';
import { occurrences } from './phrase-in-text.ts';
import { parseExtra } from './rows.ts';
import { piecesOf } from './tokenize.ts';

/** Only the newest matches are ranked: older ones are rarely the best, and reading all would take too long. */
export const MAX_RANKED = 500;
/** Messages per read, and characters of each: the beginning tells what a message is about. */
const ROWS_PER_READ = 100;
const MAX_CHARACTERS = 2_000;

/** Parameters of BM25. The average length is fixed, so that scores of several searches can be compared. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.75;
const AVERAGE_CHARACTERS = 180;
/** A message that contains the text as it was typed is before all others, then one with the words side by side. */
const AS_TYPED = 200;
const SIDE_BY_SIDE = 100;

export interface Ranked {
  id: number;
  score: number;
}

/** What is searched for, in words and signs, all of them side by side, and the text as it was typed, by its spaces. */
interface Wanted {
  phrases: readonly (readonly string[])[];
  sideBySide: readonly string[];
  typed: readonly string[];
  isAscii: boolean;
}

/** The messages in order of relevance, and the newer of equals first. */
export async function rank(db: Database, ids: readonly number[], filter: MessageFilter): Promise<Ranked[]> {
  const wanted = wantedIn(filter);
  const ranked: Ranked[] = [];
  for (let start = 0; start < ids.length; start += ROWS_PER_READ) {
    const some = ids.slice(start, start + ROWS_PER_READ);
    ranked.push(...(await db.read((reader) => scoresOf(reader, some, wanted))));
  }
  return ranked.sort((a, b) => b.score - a.score || b.id - a.id);
}

function wantedIn({ text, query }: MessageFilter): Wanted {
  const texts = [
    ...(text?.text.split(/\s+/) ?? []),
    ...(query ? positiveTerms(query) : []).flatMap((term) =>
      term.kind === 'word' || term.kind === 'phrase' || term.kind === 'subject' ? [term.text] : [],
    ),
  ];
  const phrases = texts.map((each) => piecesOf(fold(each))).filter((pieces) => pieces.length > 0);
  const typed = fold(texts.join(' ')).trim();
  return { phrases, sideBySide: phrases.flat(), typed: typed.split(' '), isAscii: !NOT_ASCII.test(typed) };
}

const TEXTS = `
  select m.id, substr(m.text, 1, ${MAX_CHARACTERS}) as text, m.extra from json_each(?) as wanted
    cross join messages as m on m.id = wanted.value`;

function scoresOf(reader: Reader, ids: readonly number[], wanted: Wanted): Ranked[] {
  return reader
    .all<{ id: number; text: string; extra: string | null }>(TEXTS, JSON.stringify(ids))
    .map(({ id, text, extra }) => ({ id, score: scoreOf([text, parseExtra(extra).mail?.subject ?? ''], wanted) }));
}

/** `texts`: what the message says, and its subject. */
function scoreOf(texts: readonly string[], { phrases, sideBySide, typed, isAscii }: Wanted): number {
  const folded = texts.filter((text) => text !== '').map((text) => foldToCount(text, isAscii));
  let length = 0;
  for (const text of folded) length += text.length;
  const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / AVERAGE_CHARACTERS);
  let score = 0;
  for (const phrase of phrases) {
    let count = 0;
    for (const text of folded) count += occurrences(text, phrase);
    score += (count * (SATURATION + 1)) / (count + norm);
  }
  if (phrases.length === 0) return score;
  if (folded.some((text) => hasTyped(text, typed))) return score + AS_TYPED;
  return folded.some((text) => occurrences(text, sideBySide, 1) > 0) ? score + SIDE_BY_SIDE : score;
}

/**
 * The folded text, except that a single space may still be another one: replacing each takes longer than the search. For words of
 * ASCII, other scripts need not be folded.
 */
function foldToCount(text: string, isAscii: boolean): string {
  const isFolded = NOT_ASCII.test(text) && (!isAscii || mayBecomeAscii(text));
  return isFolded ? fold(text) : text.toLowerCase().replace(SEVERAL_SPACES, ' ');
}

const NOT_ASCII = /[^\0-\x7f]/;
const SEVERAL_SPACES = /\s{2,}/g;

function hasTyped(text: string, typed: readonly string[]): boolean {
  const [first = ''] = typed;
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    if (isTypedAt(text, at, typed)) return true;
  }
  return false;
}

function isTypedAt(text: string, start: number, typed: readonly string[]): boolean {
  let at = start;
  for (const part of typed) {
    if (at > start && !isSpace(text.charCodeAt(at++))) return false;
    if (!text.startsWith(part, at)) return false;
    at += part.length;
  }
  return true;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}
