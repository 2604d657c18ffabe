import type { TextQuery } from './ports.ts';

/** Before and after the first thing that was found. */
const BEFORE = 60;
const LONGEST = 240;

/** A text is looked through by stretches of this length, which overlap: what was found may lie across their ends. */
const STRETCH = 4_096;
const OVERLAP = 2_048;

/** Of a very long query these are enough to show where it fits. */
const MOST_SHOWN = 20;

/** The part of a text where something was found, with what was found between asterisks; case and accents do not count. */
export function snippet(text: string, sought: TextQuery): string {
  const { from, hits } = firstHits(text, patternsOf(sought));
  const start = charStart(text, Math.max(0, from + (hits[0]?.start ?? 0) - BEFORE));
  const end = charStart(text, Math.min(text.length, start + LONGEST));
  const marked = hits
    .map((hit) => ({ start: from + hit.start - start, end: from + hit.end - start }))
    .filter((hit) => hit.start >= 0 && hit.end <= end - start)
    .reduceRight(
      (shown, hit) => `${shown.slice(0, hit.start)}**${shown.slice(hit.start, hit.end)}**${shown.slice(hit.end)}`,
      text.slice(start, end),
    );
  return `${start > 0 ? '…' : ''}${marked}${end < text.length ? '…' : ''}`;
}

/** Ways to look, the best one first: a word stands by itself, unless it is only found within others. */
function patternsOf({ kind, text }: TextQuery): RegExp[] {
  const words = kind === 'part' ? [text.trim()] : text.split(/\s+/).flatMap((word) => [word, ...word.split(NO_WORD)]);
  const parts = [...new Set(words.map(fold).filter((part) => part !== ''))]
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_SHOWN);
  if (parts.length === 0) return [];
  const ways = kind === 'part' ? [literally] : [wholly, literally];
  return ways.map((way) => new RegExp(parts.map(way).join('|'), 'gu'));
}

const NO_WORD = /[^\p{L}\p{N}\p{M}]+/u;
/** Letters and digits of scripts that put spaces between words. */
const SPACED =
  /[[\p{L}\p{N}]--[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]/v;

function literally(part: string): string {
  return part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function wholly(part: string): string {
  const [first = '', last = ''] = [[...part].at(0), [...part].at(-1)];
  const before = SPACED.test(first) ? '(?<![\\p{L}\\p{N}])' : '';
  const after = SPACED.test(last) ? '(?![\\p{L}\\p{N}])' : '';
  return `${before}${literally(part)}${after}`;
}

interface Hit {
  start: number;
  end: number;
}

/** What is found in the first way that finds anything, and from where on it is counted. */
function firstHits(text: string, patterns: readonly RegExp[]): { from: number; hits: readonly Hit[] } {
  for (const pattern of patterns) {
    const from = stretchWith(text, pattern);
    if (from !== undefined) return { from, hits: findAll(text.slice(from, from + 2 * STRETCH), pattern) };
  }
  return { from: 0, hits: [] };
}

/** Where to look closely, which takes long: the first stretch that has something of it. */
function stretchWith(text: string, pattern: RegExp): number | undefined {
  for (let from = 0; from < text.length; from += STRETCH - OVERLAP) {
    if (fold(text.slice(from, from + STRETCH)).search(pattern) !== -1) return charStart(text, from);
  }
  return undefined;
}

/** All places, in order, none within another. */
function findAll(text: string, pattern: RegExp): Hit[] {
  const { folded, places } = foldedWithPlaces(text);
  const hits: Hit[] = [];
  for (const { index, 0: found } of folded.matchAll(pattern)) {
    const start = places[index] ?? 0;
    const end = places[index + found.length] ?? text.length;
    if (start >= (hits.at(-1)?.end ?? 0) && end > start) hits.push({ start, end });
  }
  return hits;
}

/** The text without case and accents, and for each unit of it where the character stands in the original. */
function foldedWithPlaces(text: string): { folded: string; places: number[] } {
  let folded = '';
  let at = 0;
  const places: number[] = [];
  for (const character of text) {
    const plain = fold(character);
    for (let unit = 0; unit < plain.length; unit++) places.push(at);
    folded += plain;
    at += character.length;
  }
  places.push(at);
  return { folded, places };
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Not in the middle of a character. */
function charStart(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
