import { CHARACTER, kindOf, LETTER, SEPARATOR, SYMBOL } from './character-kinds.ts';

/** Separates texts in the index, so that no phrase matches across them. */
export const BOUNDARY = '_';

/** Text as it is indexed. */
export interface TokenizedText {
  /** In order: words, symbols, and single characters of scripts without spaces between words. */
  tokens: string[];
  /** The tokens that are words of letters and digits. */
  terms: string[];
}

/** Splits folded text. Anything but letters, digits, marks and symbols is a separator. */
export function tokenize(folded: string): TokenizedText {
  const tokens: string[] = [];
  const terms: string[] = [];
  for (const piece of piecesOf(folded)) {
    const kind = kindAt(piece, 0);
    if (kind === SYMBOL) {
      tokens.push(symbolToken(piece));
    } else if (kind === CHARACTER) {
      tokens.push(piece);
    } else {
      for (const word of piece.length <= LONGEST_TERM ? [piece] : overlapping(piece)) {
        tokens.push(word);
        terms.push(word);
      }
    }
  }
  return { tokens, terms };
}

/** Words, symbols and single characters in their order. */
export function piecesOf(folded: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let isInWord = false;
  for (let index = 0; index < folded.length; ) {
    const code = folded.codePointAt(index) ?? 0;
    const kind = kindOf(code);
    const next = index + (code > 0xff_ff ? 2 : 1);
    if (kind === LETTER) {
      if (!isInWord) start = index;
      isInWord = true;
    } else {
      if (isInWord) pieces.push(folded.slice(start, index));
      isInWord = false;
      if (kind !== SEPARATOR) pieces.push(folded.slice(index, next));
    }
    index = next;
  }
  if (isInWord) pieces.push(folded.slice(start));
  return pieces;
}

function kindAt(text: string, index: number) {
  return kindOf(text.codePointAt(index) ?? 0);
}

/**
 * Text that FTS5 splits into the same tokens by itself: ASCII in lower case, in which only symbols have to be replaced. Undefined
 * if the text is not ASCII. Most text is, and splitting it here would take several times as long.
 */
export function plainWords(text: string): string | undefined {
  if (NOT_ASCII.test(text)) return undefined;
  const lower = text.toLowerCase();
  if (hasOverlongWord(lower)) return undefined;
  return lower.replace(PLAIN_SYMBOLS, (sign) => (sign === BOUNDARY ? ' ' : ` ${symbolToken(sign)} `));
}

/** Such a word covers a multiple of its length: only these places are looked at. */
function hasOverlongWord(lower: string): boolean {
  for (let place = LONGEST_TERM; place < lower.length; place += LONGEST_TERM) {
    let [start, end] = [place, place];
    while (start > 0 && isPlainLetter(lower.charCodeAt(start - 1))) start -= 1;
    while (isPlainLetter(lower.charCodeAt(end))) end += 1;
    if (end - start > LONGEST_TERM) return true;
  }
  return false;
}

/** Whether this is the code of a lower-case letter or a digit; not at the end of a text. */
function isPlainLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** What the tokens of a text must contain if the text contains a given fragment. */
export interface FragmentTokens {
  /** Set if the fragment consists of letters and digits only: it is inside one word. */
  within?: string;
  /** End of a word, if the fragment begins inside one. */
  head?: string;
  /** Whole tokens, consecutive. */
  inner: string[];
  /** Beginning of a word, if the fragment ends inside one. */
  tail?: string;
}

export function tokenizeFragment(folded: string): FragmentTokens {
  const pieces = piecesOf(folded);
  const opensWithin = pieces.length > 0 && kindAt(folded, 0) === LETTER;
  const endsWithin = endsWithLetter(folded);
  if (pieces.length === 1 && opensWithin && endsWithin) return { within: beginning(folded), inner: [] };
  const head = opensWithin ? pieces.shift() : undefined;
  const tail = endsWithin ? pieces.pop() : undefined;
  return {
    inner: pieces.flatMap((piece) => tokenize(piece).tokens),
    ...(head === undefined ? {} : { head: wholeCharacters(head.slice(-LONGEST_PART)) }),
    ...(tail === undefined ? {} : { tail: beginning(tail) }),
  };
}

function endsWithLetter(text: string): boolean {
  const last = [...text.slice(-2)].at(-1);
  return last !== undefined && kindAt(last, 0) === LETTER;
}

function beginning(word: string): string {
  return wholeCharacters(word.slice(0, LONGEST_PART));
}

/**
 * Longest word that is indexed as one term, and the longest fragment that is certain to be inside one piece of a
 * longer word.
 */
const LONGEST_TERM = 256;
const LONGEST_PART = 64;

/**
 * Very long words, such as encoded files, are indexed as overlapping pieces, so that each fragment is inside one of
 * them.
 */
function overlapping(word: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start + LONGEST_PART < word.length; start += LONGEST_TERM - LONGEST_PART) {
    pieces.push(wholeCharacters(word.slice(start, start + LONGEST_TERM)));
  }
  return pieces;
}

/** Removes lone surrogates at both ends. */
function wholeCharacters(slice: string): string {
  return slice.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

/** Words contain no underscore, so tokens that begin with one cannot collide with words. */
function symbolToken(symbol: string): string {
  return `_${symbol.codePointAt(0)?.toString(16)}`;
}

/** Matches everything but printable ASCII and white space. */
const NOT_ASCII = /[^\t-\r\x20-\x7e]/;
/** In plain text, and the underscore, which would become part of a token. */
const PLAIN_SYMBOLS = /[$+<=>^`|~_]/g;
