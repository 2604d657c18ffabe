import { kindOf, LETTER, SEPARATOR } from './character-kinds.ts';
import { phrase } from './fts-expression.ts';

/**
 * Tokens of what is beside each other in a text, so that a text that goes across words is found by a few of them, however common
 * its words are. Two words with only separators between them have a token of the end of the first and the beginning of the second:
 * `running out` has `_jing_out`. Words with a single sign between them have one with it, and words beside a sign that few words are
 * beside have one with it, too.
 */
const BEGINNING = 3;
const END = 3;

/** The tokens of a folded text. */
export function pairTokens(folded: string): ReadonlySet<string> {
  const tokens = new Set<string>();
  forEachGap(folded, ({ before, after, gap, isSeparator }) => {
    const [end, beginning] = [before ? endOf(folded, before) : '', beginningOf(folded, after)];
    const [first, last] = [gap.charCodeAt(0), gap.charCodeAt(gap.length - 1)];
    if (before && after && isSeparator) tokens.add(wordsToken(end, beginning));
    if (before && after && gap.length === 1 && isSign(first)) {
      tokens.add(signToken(first, end, beginning));
      if (isTellingAfter(first)) tokens.add(signToken(first, lastOf(folded, before), beginning));
    }
    if (before && isTellingAfter(first)) tokens.add(signToken(first, end, ''));
    if (after && isTellingBefore(last)) tokens.add(signToken(last, '', beginning));
  });
  return tokens;
}

/** FTS5 expressions that all match a text which contains a folded one; that may begin and end within words. */
export function pairExpressions(folded: string): string[] {
  const { certain, beginnings } = knownPairs(folded);
  return [...certain, ...(beginnings.length === 0 ? [] : [oneOf(beginnings)])];
}

/** The same as lists of which one matches, so that none takes long: FTS5 reads all tokens with a beginning at once. */
export function pairAlternatives(folded: string): string[][] {
  const { certain, beginnings } = knownPairs(folded);
  if (beginnings.length === 0) return certain.length === 0 ? [] : [certain];
  const count = Math.ceil(beginnings.length / MAX_BEGINNINGS);
  return Array.from({ length: count }, (_, index) => [
    ...certain,
    oneOf(beginnings.slice(index * MAX_BEGINNINGS, (index + 1) * MAX_BEGINNINGS)),
  ]);
}

const MAX_BEGINNINGS = 5;

/** Expressions that all match, and beginnings of tokens of which one does, if only the beginning of the last word is known. */
function knownPairs(folded: string): { certain: string[]; beginnings: string[] } {
  const certain = new Set<string>();
  let beginnings: string[] = [];
  forEachGap(folded, (place) => {
    const { after } = place;
    const isCut = after?.end === folded.length && after.end - after.start < BEGINNING;
    const tokens = possibleTokens(folded, place, isCut).map((token) => phrase([token]));
    if (isCut) beginnings = tokens.map((token) => `${token} *`);
    else if (tokens.length > 0) certain.add(oneOf(tokens));
  });
  return { certain: [...certain], beginnings };
}

function oneOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? expressions.join('') : `(${expressions.join(' OR ')})`;
}

/** The text has one of these tokens around this place; none if too little is known. */
function possibleTokens(folded: string, { before, after, gap, isSeparator }: Gap, isCut: boolean): string[] {
  const beginning = beginningOf(folded, after);
  const [first, last] = [gap.charCodeAt(0), gap.charCodeAt(gap.length - 1)];
  const ends = before ? possibleEnds(folded, before) : [];
  if (after && gap.length === 1 && isSign(first)) {
    if (ends.length > 0) return ends.map((end) => signToken(first, end, beginning));
    if (before && isTellingAfter(first)) return [signToken(first, lastOf(folded, before), beginning)];
  }
  if (after && ends.length > 0 && isSeparator) return ends.map((end) => wordsToken(end, beginning));
  // Very many tokens begin with a sign and one or two letters.
  if (after) return isTellingBefore(last) && !isCut ? [signToken(last, '', beginning)] : [];
  return isTellingAfter(first) ? ends.map((end) => signToken(first, end, '')) : [];
}

interface Word {
  start: number;
  end: number;
}

/** What is before, between or after words. */
interface Gap {
  before: Word | undefined;
  after: Word | undefined;
  gap: string;
  /** Otherwise there is a symbol in it, or a character of a script without spaces: these are tokens between the words. */
  isSeparator: boolean;
}

function forEachGap(folded: string, visit: (gap: Gap) => void): void {
  const words = wordsIn(folded);
  for (let index = 0; index <= words.length; index += 1) {
    const [before, after] = [words[index - 1], words[index]];
    const gap = folded.slice(before?.end ?? 0, after?.start);
    if (gap !== '') visit({ before, after, gap, isSeparator: isSeparator(gap) });
  }
}

function wordsIn(folded: string): Word[] {
  const words: Word[] = [];
  let word: Word | undefined;
  for (let index = 0; index < folded.length; ) {
    const code = folded.codePointAt(index) ?? 0;
    const next = index + (code > 0xff_ff ? 2 : 1);
    if (kindOf(code) !== LETTER) {
      word = undefined;
    } else if (word) {
      word.end = next;
    } else {
      word = { start: index, end: next };
      words.push(word);
    }
    index = next;
  }
  return words;
}

function isSeparator(gap: string): boolean {
  if (gap === ' ') return true;
  for (const character of gap) if (kindOf(character.codePointAt(0) ?? 0) !== SEPARATOR) return false;
  return true;
}

/** What a longer word has before the last characters of its end: a letter or digit of ASCII, or any other. */
const OTHER_LETTER = '_';
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789', OTHER_LETTER];

/** The last characters of a word, of which the first is one of `LETTERS`; a shorter word as it is. */
function endOf(text: string, { start, end }: Word): string {
  const known = tailOf(text, { start, end });
  const at = end - known.length - 1;
  return at < start ? known : `${isPlainLetter(text.charCodeAt(at)) ? text.charAt(at) : OTHER_LETTER}${known}`;
}

/** The same of a word that may begin before the text; none if too little of it is known. */
function possibleEnds(text: string, word: Word): string[] {
  const known = tailOf(text, word);
  if (word.start > 0 || known.length < word.end) return [endOf(text, word)];
  return known.length < END - 1 ? [] : ['', ...LETTERS].map((letter) => `${letter}${known}`);
}

/** All but the first of them. */
function tailOf(text: string, word: Word): string {
  return lastCharacters(text, word, END - 1);
}

function lastOf(text: string, word: Word): string {
  return lastCharacters(text, word, 1);
}

/** At most so many of its last characters. */
function lastCharacters(text: string, { start, end }: Word, length: number): string {
  const at = Math.max(start, end - length);
  return text.slice(isLowSurrogate(text, at) ? at - 1 : at, end);
}

function beginningOf(text: string, word: Word | undefined): string {
  if (!word) return '';
  const at = Math.min(word.end, word.start + BEGINNING);
  return text.slice(word.start, isLowSurrogate(text, at) ? at + 1 : at);
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc_00 && unit < 0xe0_00;
}

function isPlainLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** Whether this is a sign or symbol of ASCII; folded text has no capitals. */
function isSign(code: number): boolean {
  return code > 0x20 && code < 0x7f && !isPlainLetter(code);
}

/** Beside most words there is none, or one of these. */
const COMMON_AFTER = codesOf('.,\'-!?:;"()/');
const COMMON_BEFORE = codesOf(',\'!?;"()');

function isTellingAfter(code: number): boolean {
  return isSign(code) && !COMMON_AFTER.has(code);
}

function isTellingBefore(code: number): boolean {
  return isSign(code) && !COMMON_BEFORE.has(code);
}

function codesOf(signs: string): ReadonlySet<number> {
  return new Set([...signs].map((sign) => sign.charCodeAt(0)));
}

function wordsToken(end: string, beginning: string): string {
  return `_j${end}_${beginning}`;
}

function signToken(sign: number, end: string, beginning: string): string {
  return `_k${sign.toString(16)}_${end}_${beginning}`;
}
