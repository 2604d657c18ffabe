import { randomHex } from '../../lib/chance.ts';
import { shownBody } from '../../lib/shown-body.ts';

/** Beginnings of the lines around a text. */
const FENCE = ['=+ begin of (?:the )?email', '=+ end of (?:the )?email'];
const NO_HEADINGS: readonly string[] = [];

/**
 * A text of strangers for a model: between two lines with a code that its author could not know. Hidden characters are made
 * visible, and a line that reads like these, or like one of `headings`, gets a `>`.
 */
export function fenced(body: string, headings: readonly string[] = NO_HEADINGS, code = randomHex(8)): string {
  const text = shownBody(body, linesOfOurs(headings));
  return `=== begin of email text by its sender (${code}) ===\n${text}\n=== end of email text (${code}) ===`;
}

const known = new WeakMap<readonly string[], readonly string[]>();

/** One list for each list of headings: patterns are made once per list. */
function linesOfOurs(headings: readonly string[]): readonly string[] {
  let lines = known.get(headings);
  if (!lines) {
    lines = [...FENCE, ...headings];
    known.set(headings, lines);
  }
  return lines;
}
