import { fold } from './fold.ts';
import { BOUNDARY, tokenize } from './tokenize.ts';

/** Parts of an email that are indexed on their own, beside the words of its text. */
export type IndexedField = 'subject' | 'to' | 'cc' | 'filename';

/**
 * Index tokens of a field: each word with the field's name before it, so that a word in the subject is not one in the
 * text. Words of one value are consecutive, so that phrases match; no phrase matches across several values.
 */
export function fieldTokens(field: IndexedField, ...values: readonly string[]): string[] {
  const tokens: string[] = [];
  for (const value of values) {
    const words = tokenize(fold(value)).tokens;
    if (words.length > 0 && tokens.length > 0) tokens.push(BOUNDARY);
    for (const word of words) tokens.push(fieldToken(field, word));
  }
  return tokens;
}

/** The FTS5 phrase for a text in a field; undefined if the text contains no word. */
export function fieldPhrase(field: IndexedField, text: string): string | undefined {
  const tokens = fieldTokens(field, text);
  return tokens.length === 0 ? undefined : `"${tokens.join(' ')}"`;
}

/** Like `fieldPhrase`, but the last word is a prefix: `ali` is in `alice@example.org`. */
export function fieldPrefix(field: IndexedField, text: string): string | undefined {
  const words = fieldPhrase(field, text);
  return words === undefined ? undefined : `${words} *`;
}

/** Other tokens with an underscore are hexadecimal, or have no second one. */
function fieldToken(field: IndexedField, word: string): string {
  return `_${field}_${word}`;
}
