import { fold } from './fold.ts';

/** Matches everything but printable ASCII and white space, which folding changes in case only. */
const NOT_ASCII = /[^\t-\r\x20-\x7e]/;

/** LIKE takes up to as many steps for each character of a text as the pattern is long; its beginning is enough. */
const MAX_PATTERN = 40;

/**
 * A pattern for LIKE that matches all texts of ASCII that contain a folded one; undefined if there is none. White space may be of any
 * kind, and quotes and backslashes are written in another way within JSON.
 */
export function patternFor(wanted: string): string | undefined {
  if (NOT_ASCII.test(wanted) || /["\\]/.test(wanted)) return undefined;
  return `%${wanted.slice(0, MAX_PATTERN).replace(/[%_]/g, '\\$&').replaceAll(' ', '%')}%`;
}

/**
 * Matches everything but ASCII and the most common of the characters that are not ASCII when folded either: letters of other
 * scripts, dashes and quotes.
 */
const MAY_BECOME_ASCII =
  /[^\t-\r\x20-\x7e\u0400-\u0482\u048a-\u052f\u05d0-\u05ea\u0621-\u063f\u0641-\u064a\u2013\u2014\u2018-\u201e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]/;

/** Whether folding the text can give ASCII where there was none. */
export function mayBecomeAscii(text: string): boolean {
  return MAY_BECOME_ASCII.test(text);
}

const RUNS = new RegExp(`${MAY_BECOME_ASCII.source}+`, 'g');

/** A test of whether a text contains a folded one. Most texts need not be folded for that, which takes much longer. */
export function createTextTest(wanted: string): (text: string) => boolean {
  if (NOT_ASCII.test(wanted)) return (text) => fold(text).includes(wanted);
  // Of ASCII, folding changes the case only, and turns any white space into single spaces.
  const pattern = patternOf(wanted.split(' '), '\\s+');
  return (text) => pattern.test(text) || (mayBecomeAscii(text) && containsFolded(text, wanted));
}

/** A test of whether the folded text may have these words and symbols one after the other. */
export function createPhraseTest(pieces: readonly string[]): (text: string) => boolean {
  if (pieces.some((piece) => NOT_ASCII.test(piece))) return () => true;
  const pattern = patternOf(pieces, SEPARATORS);
  return (text) => pattern.test(text) || mayBecomeAscii(text);
}

/** No character of ASCII that can be a piece or a part of one is among them: there is one way to match a text. */
const SEPARATORS = '[^a-z0-9$+<=>^`|~]*';

/** Ignores the case of ASCII. Searching with it is faster than making a copy of the text in lower case. */
function patternOf(parts: readonly string[], between: string): RegExp {
  return new RegExp(parts.map((part) => RegExp.escape(part)).join(between), 'i');
}

/** More white space than this between words is rare; less is part of what is folded around a character. */
const MAX_SPACES = 32;
const LONG_SPACE = new RegExp(`\\s{${MAX_SPACES},}`);

/** Whether a text contains a folded one with characters that become ASCII: only what is around these is folded. */
function containsFolded(text: string, wanted: string): boolean {
  const reach = wanted.length * 2 + MAX_SPACES;
  const parts: { start: number; end: number }[] = [];
  let length = 0;
  for (const { index, 0: run } of text.matchAll(RUNS)) {
    const [start, end] = [Math.max(0, index - reach), index + run.length + reach];
    const last = parts.at(-1);
    length += end - Math.max(start, last?.end ?? 0);
    if (length * 2 > text.length || parts.length === MAX_PARTS) return fold(text).includes(wanted);
    if (last && start <= last.end) last.end = end;
    else parts.push({ start, end });
  }
  if (wanted.includes(' ') && LONG_SPACE.test(text)) return fold(text).includes(wanted);
  return parts.some(({ start, end }) => fold(text.slice(start, end)).includes(wanted));
}

const MAX_PARTS = 20;
