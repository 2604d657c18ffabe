import { type FoldedText, fold, foldWithOffsets, NOT_ASCII } from './folded-text.ts';
import { type Match, matchesOf, NON_WORD, phraseTerm, plainTerm, type Term, wholeTerm } from './term-search.ts';
import { characterStart } from './word-characters.ts';

/** Characters before the first match, and in total. */
const CONTEXT_LENGTH = 60;
const MAX_LENGTH = 240;

/** How far after the first match others are looked for. */
const REACH = 4_096;
/** Where long texts have their first match, mostly. */
const BEGINNING = 4_096;
/** Very long texts are searched in overlapping blocks, because a match may cross the end of one. */
const BLOCK = 32_768;
const OVERLAP = 2_048;

/** Terms of a very long query that are marked. */
const MAX_TERMS = 20;

/** What is marked. `terms`: words and phrases, each as a whole. `exact`: the same, with the signs in them. */
export type Marked =
  | { kind: 'words' | 'prefixes' | 'part'; text: string }
  | { kind: 'terms' | 'exact'; texts: readonly string[] };

/** The part of a text around the first match, with matches between asterisks; ignores case and accents. */
export function snippet(text: string, query: Marked): string {
  const matches = matchesIn(text, query);
  const start = characterStart(text, Math.max(0, (matches[0]?.start ?? 0) - CONTEXT_LENGTH));
  const end = characterStart(text, Math.min(text.length, start + MAX_LENGTH));
  let [marked, shownTo] = [start > 0 ? '…' : '', start];
  for (const match of matches) {
    if (match.start < start || match.start >= end) continue;
    // The last one may be longer, with thousands of invisible characters after it.
    const shown = Math.min(match.end, end);
    marked += `${text.slice(shownTo, match.start)}**${text.slice(match.start, shown)}**`;
    shownTo = shown;
  }
  return `${marked}${text.slice(shownTo, end)}${end < text.length ? '…' : ''}`;
}

let last: { text: string; query: Marked; matches: readonly Match[] } | undefined;

/**
 * Where the text matches: all matches near the first one, in order. A message is shown with its snippet and with the
 * parts around the matches: both need the same.
 */
export function matchesIn(text: string, query: Marked): readonly Match[] {
  if (last?.text === text && last.query === query) return last.matches;
  const matches = firstMatches(text, knownForms(query));
  last = { text, query, matches };
  return matches;
}

const known = new WeakMap<Marked, readonly Term[][]>();

/** One search marks many texts. */
function knownForms(query: Marked): readonly Term[][] {
  const forms = known.get(query) ?? formsOf(query);
  known.set(query, forms);
  return forms;
}

/** What is looked for, in order of preference: phrases, whole words, then the same text within other words. */
function formsOf(query: Marked): Term[][] {
  const texts = [...new Set(textsOf(query).map((text) => fold(text).trim()))]
    .filter((text) => text !== '')
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_TERMS);
  if (texts.length === 0) return [];
  if (query.kind === 'part') return [texts.map(plainTerm)];
  const phrases = query.kind === 'terms' ? texts.map(phraseTerm) : [];
  const hasPhrase = phrases.some(({ words }) => words.length > 1);
  return [...(hasPhrase ? [phrases] : []), texts.map(wholeTerm), texts.map(plainTerm)];
}

function textsOf(query: Marked): readonly string[] {
  if ('texts' in query) return query.texts;
  if (query.kind === 'part') return [query.text];
  return query.text.split(/\s+/).flatMap((word) => [word, ...word.split(NON_WORD)]);
}

const NONE: readonly Match[] = [];

/** Matches of the first form that has any. */
function firstMatches(text: string, forms: readonly Term[][]): readonly Match[] {
  const [preferred] = forms;
  if (!preferred) return NONE;
  const isQuick = text.length <= BEGINNING || !NOT_ASCII.test(text);
  if (!isQuick) {
    const early = inPart(text, 0, BEGINNING, preferred);
    if (early.length > 0) return early;
  }
  if (!isQuick && text.length > BLOCK) return firstOf(forms, (form) => inBlocks(text, form));
  const folded = foldWithOffsets(text);
  return firstOf(forms, (form) => inFolded(folded, form));
}

function firstOf(forms: readonly Term[][], search: (form: readonly Term[]) => readonly Match[]): readonly Match[] {
  for (const form of forms) {
    const matches = search(form);
    if (matches.length > 0) return matches;
  }
  return NONE;
}

function inBlocks(text: string, form: readonly Term[]): readonly Match[] {
  for (let start = 0; start < text.length; start += BLOCK - OVERLAP) {
    const matches = inPart(text, characterStart(text, start), BLOCK, form);
    if (matches.length > 0) return matches;
  }
  return NONE;
}

/** Matches of a part of the text; if the first one is near its end, also those after it. */
function inPart(text: string, from: number, length: number, form: readonly Term[]): readonly Match[] {
  const matches = inFolded(foldWithOffsets(text.slice(from, from + length)), form, from);
  const [first] = matches;
  if (!first || first.start <= from + length - OVERLAP || from + length >= text.length) return matches;
  const start = characterStart(text, first.start - 1);
  return inFolded(foldWithOffsets(text.slice(start, start + REACH)), form, start);
}

/** `offset` is where the folded part begins in the text. */
function inFolded({ text, originalOf }: FoldedText, form: readonly Term[], offset = 0): readonly Match[] {
  const matches: Match[] = [];
  let [shownTo, furthest] = [0, 0];
  for (const match of matchesOf(form, text)) {
    const [start, end] = [offset + originalOf(match.start), offset + originalOf(match.end)];
    if (matches.length === 0) furthest = Math.max(0, start - 1) + REACH;
    if (start > furthest) break;
    // Of a character that becomes several, only a part may match.
    if (start < shownTo || end === start) continue;
    matches.push({ start, end });
    shownTo = end;
  }
  return matches;
}
