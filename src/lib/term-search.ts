import { characterStart, isMiddleOfCharacter, isWordCharacter, isWordPart } from './word-characters.ts';

/** A text that is searched for in folded texts. Regular expressions with classes of Unicode take long to compile. */
export interface Term {
  /** What is found one after the other. */
  words: readonly string[];
  /** What is between them: white space of any kind and length, or anything but letters, digits and marks. */
  gap: 'space' | 'signs';
  /** No letter or digit may be before it, or after it. */
  startsWord: boolean;
  endsWord: boolean;
}

export interface Match {
  start: number;
  end: number;
}

/** The text anywhere; it may be broken into lines where it has spaces. */
export function plainTerm(text: string): Term {
  return { words: text.trim().split(/\s+/), gap: 'space', startsWord: false, endsWord: false };
}

/** The text, not within a longer word. */
export function wholeTerm(text: string): Term {
  const characters = [...text.trim()];
  const [first = '', last = ''] = [characters.at(0), characters.at(-1)];
  return { ...plainTerm(text), startsWord: SPACED.test(first), endsWord: SPACED.test(last) };
}

/** The words of the text one after the other; the text itself if it has only one. */
export function phraseTerm(text: string): Term {
  const words = text.split(NON_WORD).filter((word) => word !== '');
  return words.length < 2 ? wholeTerm(text) : { ...wholeTerm(words.join(' ')), words, gap: 'signs' };
}

export const NON_WORD = /[^\p{L}\p{N}\p{M}]+/u;
/** Letters and digits of scripts that put spaces between words. */
const SPACED =
  /[[\p{L}\p{N}]--[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]/v;

/** Matches of any of the terms in order, without overlaps; of those that start together, the first term's. */
export function* matchesOf(terms: readonly Term[], text: string, from = 0): Generator<Match, undefined> {
  const next = terms.map((term) => nextMatch(term, text, from));
  for (;;) {
    const match = earliest(next);
    if (!match) return undefined;
    yield match;
    for (const [index, term] of terms.entries()) {
      const known = next[index];
      if (known && known.start < match.end) next[index] = nextMatch(term, text, match.end);
    }
  }
}

function earliest(matches: readonly (Match | undefined)[]): Match | undefined {
  let first: Match | undefined;
  for (const match of matches) if (match && (!first || match.start < first.start)) first = match;
  return first;
}

function nextMatch(term: Term, text: string, from: number): Match | undefined {
  const [first = ''] = term.words;
  // Only white space is nothing to look for.
  if (first === '') return undefined;
  for (let start = text.indexOf(first, from); start !== -1; start = text.indexOf(first, start + 1)) {
    if (term.startsWord && isAfterWordCharacter(text, start)) continue;
    const end = endOf(term, text, start);
    if (end === undefined || (term.endsWord && isWordCharacter(text.codePointAt(end)))) continue;
    if (!isMiddleOfCharacter(text, start) && !isMiddleOfCharacter(text, end)) return { start, end };
  }
  return undefined;
}

/** The end of the words, of which the first one is at `start`. */
function endOf({ words, gap }: Term, text: string, start: number): number | undefined {
  const afterGap = gap === 'space' ? afterSpace : afterSigns;
  let end = start;
  for (const [index, word] of words.entries()) {
    const at = index === 0 ? start : afterGap(text, end);
    if (at === undefined || !text.startsWith(word, at)) return undefined;
    end = at + word.length;
  }
  return end;
}

function afterSpace(text: string, from: number): number | undefined {
  let at = from;
  while (at < text.length && SPACE.test(text.charAt(at))) at += 1;
  return at === from ? undefined : at;
}

const SPACE = /\s/;

function afterSigns(text: string, from: number): number | undefined {
  let at = from;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    if (isWordPart(code)) break;
    at += code > 0xff_ff ? 2 : 1;
  }
  return at === from ? undefined : at;
}

function isAfterWordCharacter(text: string, place: number): boolean {
  if (place === 0) return false;
  return isWordCharacter(text.codePointAt(characterStart(text, place - 1)));
}
