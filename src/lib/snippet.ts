import { fold, foldWithOffsets, NOT_ASCII } from './folded-text.ts';

/** Characters before the first match, and in total. */
const CONTEXT_LENGTH = 60;
const MAX_LENGTH = 240;

/** A text is searched in overlapping windows, because a match may cross the end of one. */
const WINDOW = 4_096;
const OVERLAP = 2_048;

/** Terms of a very long query that are marked. */
const MAX_TERMS = 20;

/** What is marked. `terms`: words and phrases, each as a whole. `exact`: the same, with the signs in them. */
export type Marked =
  | { kind: 'words' | 'prefixes' | 'part'; text: string }
  | { kind: 'terms' | 'exact'; texts: readonly string[] };

/** The part of a text around the first match, with matches between asterisks; ignores case and accents. */
export function snippet(text: string, query: Marked): string {
  const { from, hits } = hitsOf(text, query);
  const start = charStart(text, Math.max(0, from + (hits[0]?.start ?? 0) - CONTEXT_LENGTH));
  const end = charStart(text, Math.min(text.length, start + MAX_LENGTH));
  const marked = hits
    .map((hit) => ({ start: from + hit.start - start, end: from + hit.end - start }))
    .filter((hit) => hit.start >= 0 && hit.end <= end - start)
    .reduceRight(
      (shown, hit) => `${shown.slice(0, hit.start)}**${shown.slice(hit.start, hit.end)}**${shown.slice(hit.end)}`,
      text.slice(start, end),
    );
  return `${start > 0 ? '…' : ''}${marked}${end < text.length ? '…' : ''}`;
}

/** Where the text matches: all matches near the first one. */
export function matchesIn(text: string, query: Marked): { start: number; end: number }[] {
  const { from, hits } = hitsOf(text, query);
  return hits.map(({ start, end }) => ({ start: from + start, end: from + end }));
}

const compiled = new WeakMap<Marked, RegExp[]>();

/** One search marks many texts. */
function knownPatterns(query: Marked): RegExp[] {
  const known = compiled.get(query) ?? patternsOf(query);
  compiled.set(query, known);
  return known;
}

/** Patterns in order of preference: whole words, then the same text within other words. */
function patternsOf(query: Marked): RegExp[] {
  const parts = [
    ...new Set(
      textsOf(query)
        .map(fold)
        .filter((part) => part !== ''),
    ),
  ]
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_TERMS);
  if (parts.length === 0) return [];
  const forms = query.kind === 'part' ? [escapeRegExp] : [wholeWord, escapeRegExp];
  const patterns = forms.map((form) => parts.map(form));
  if (query.kind === 'terms') patterns.unshift(parts.map(phrase));
  return patterns.map((each) => new RegExp(each.join('|'), 'gu'));
}

function textsOf(query: Marked): readonly string[] {
  if ('texts' in query) return query.texts;
  if (query.kind === 'part') return [query.text.trim()];
  return query.text.split(/\s+/).flatMap((word) => [word, ...word.split(NON_WORD)]);
}

/** The words one after the other, with anything but letters between them. */
function phrase(text: string): string {
  const words = text.split(NON_WORD).filter((word) => word !== '');
  return words.length < 2 ? wholeWord(text) : words.map(wholeWord).join('[^\\p{L}\\p{N}\\p{M}]+');
}

const NON_WORD = /[^\p{L}\p{N}\p{M}]+/u;
/** Letters and digits of scripts that put spaces between words. */
const SPACED =
  /[[\p{L}\p{N}]--[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]/v;

function escapeRegExp(part: string): string {
  return part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function wholeWord(part: string): string {
  const [first = '', last = ''] = [[...part].at(0), [...part].at(-1)];
  const before = SPACED.test(first) ? '(?<![\\p{L}\\p{N}])' : '';
  const after = SPACED.test(last) ? '(?![\\p{L}\\p{N}])' : '';
  return `${before}${escapeRegExp(part)}${after}`;
}

interface Hit {
  start: number;
  end: number;
}

/** Matches, relative to `from`. */
interface FoundHits {
  from: number;
  hits: readonly Hit[];
}

let last: { text: string; query: Marked; found: FoundHits } | undefined;

/** A message is shown with its snippet and with the parts around the matches: both need the same. */
function hitsOf(text: string, query: Marked): FoundHits {
  if (last?.text === text && last.query === query) return last.found;
  const found = firstHits(text, knownPatterns(query));
  last = { text, query, found };
  return found;
}

/** Matches of the first pattern that has any. */
function firstHits(text: string, patterns: readonly RegExp[]): FoundHits {
  for (const pattern of patterns) {
    const found = NOT_ASCII.test(text) ? inWindows(text, pattern) : inPlainText(text, pattern);
    if (found) return found;
  }
  return NONE;
}

const NONE: FoundHits = { from: 0, hits: [] };

/** Only the part from the first match on: what is before it decides whether it is a whole word. */
function inPlainText(text: string, pattern: RegExp): FoundHits | undefined {
  const index = text.toLowerCase().search(pattern);
  return index === -1 ? undefined : hitsFrom(text, Math.max(0, index - 1), pattern);
}

function inWindows(text: string, pattern: RegExp): FoundHits | undefined {
  for (let start = 0; start < text.length; start += WINDOW - OVERLAP) {
    const found = hitsFrom(text, charStart(text, start), pattern);
    const first = found.hits[0]?.start;
    if (first === undefined) continue;
    const isNearEnd = first > WINDOW - OVERLAP && start + WINDOW < text.length;
    return isNearEnd ? hitsFrom(text, charStart(text, found.from + first - 1), pattern) : found;
  }
  return undefined;
}

/** All matches in a part of the text, in order, without overlaps. */
function hitsFrom(text: string, from: number, pattern: RegExp): FoundHits {
  const { text: folded, originalOf } = foldWithOffsets(text.slice(from, from + WINDOW));
  const hits: Hit[] = [];
  for (const { index, 0: found } of folded.matchAll(pattern)) {
    const [start, end] = [originalOf(index), originalOf(index + found.length)];
    if (start >= (hits.at(-1)?.end ?? 0) && end > start) hits.push({ start, end });
  }
  return { from, hits };
}

/** Not in the middle of a character. */
function charStart(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
