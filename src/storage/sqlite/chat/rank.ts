import type { MessageFilter } from '../../../chat/ports.ts';
import { positiveTerms } from '../../../domain/search-query/query.ts';
import type { Database, Reader } from '../database.ts';
import { mayBecomeAscii } from './contains-text.ts';
import { fold } from './fold.ts';
import { phrase } from './fts-expression.ts';
import { matchesExpression } from './id-checks.ts';
import { occurrences } from './phrase-in-text.ts';
import { parseExtra } from './rows.ts';
import { piecesOf, tokenize } from './tokenize.ts';

/** Only the newest matches are ranked: older ones are rarely the best. */
export const MAX_RANKED = 500;
/** Of the most promising ones the text is read; reading all would take several times as long. */
const MAX_READ = 100;
/** Characters of each: the beginning tells what a message is about. */
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
  /** Of FTS5, for all words side by side; undefined for a single one. */
  sideBySideMatch: string | undefined;
}

/** The messages in order of relevance, and the newer of equals first. */
export async function rank(db: Database, ids: readonly number[], filter: MessageFilter): Promise<Ranked[]> {
  const wanted = wantedIn(filter);
  const estimated =
    ids.length <= MAX_READ ? undefined : await db.read((reader) => byScore(estimatesOf(reader, ids, wanted)));
  const promising = estimated?.slice(0, MAX_READ).map(({ id }) => id) ?? ids;
  const scored = await db.read((reader) => scoresOf(reader, promising, wanted));
  return byScore([...scored, ...(estimated?.slice(MAX_READ) ?? [])]);
}

function byScore(ranked: Ranked[]): Ranked[] {
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
  const { tokens } = tokenize(typed);
  return {
    phrases,
    sideBySide: phrases.flat(),
    typed: typed.split(' '),
    isAscii: !NOT_ASCII.test(typed),
    sideBySideMatch: tokens.length < 2 ? undefined : phrase(tokens),
  };
}

/** Without reading the text: its length, which its size stands for, each word once, and whether the words are side by side. */
function estimatesOf(reader: Reader, ids: readonly number[], { phrases, sideBySideMatch }: Wanted): Ranked[] {
  const isSideBySide = new Set(sideBySideMatch === undefined ? [] : matchesExpression(sideBySideMatch)(reader, ids));
  return reader.all<{ id: number; size: number }>(SIZES, JSON.stringify(ids)).map(({ id, size }) => {
    const score = phrases.length * scoreOfCount(1, normOf(Math.min(size, MAX_CHARACTERS)));
    return { id, score: isSideBySide.has(id) ? score + SIDE_BY_SIDE : score };
  });
}

const SIZES = `
  select m.id, octet_length(m.text) as size from json_each(?) as wanted cross join messages as m on m.id = wanted.value`;

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
  const norm = normOf(length);
  let score = 0;
  for (const phrase of phrases) {
    let count = 0;
    for (const text of folded) count += occurrences(text, phrase);
    score += scoreOfCount(count, norm);
  }
  if (phrases.length === 0) return score;
  if (folded.some((text) => hasTyped(text, typed))) return score + AS_TYPED;
  return folded.some((text) => occurrences(text, sideBySide, 1) > 0) ? score + SIDE_BY_SIDE : score;
}

function normOf(length: number): number {
  return SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / AVERAGE_CHARACTERS);
}

function scoreOfCount(count: number, norm: number): number {
  return (count * (SATURATION + 1)) / (count + norm);
}

/**
 * The folded text, except that white space may remain as it is: replacing it takes longer than the search. For words of ASCII, other
 * scripts need not be folded.
 */
function foldToCount(text: string, isAscii: boolean): string {
  const isFolded = NOT_ASCII.test(text) && (!isAscii || mayBecomeAscii(text));
  return isFolded ? fold(text) : text.toLowerCase();
}

const NOT_ASCII = /[^\0-\x7f]/;

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
    if (at > start && !isSpace(text.charCodeAt(at))) return false;
    while (at > start && isSpace(text.charCodeAt(at))) at += 1;
    if (!text.startsWith(part, at)) return false;
    at += part.length;
  }
  return true;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}
