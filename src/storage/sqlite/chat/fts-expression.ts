import { fold } from './fold.ts';
import { tokenize } from './tokenize.ts';

/**
 * FTS5 expressions. They are built from tokens, which contain neither quotes nor spaces, so no text of a user or a
 * network can become an operator.
 */

export function phrase(tokens: readonly string[]): string {
  return `"${tokens.join(' ')}"`;
}

export function anyOf(tokens: readonly string[]): string {
  return `(${tokens.map((token) => `"${token}"`).join(' OR ')})`;
}

/** All of these, and not what is excluded. NOT is binary in FTS5: there must be an expression before it. */
export function fitting(expressions: readonly string[], exclude?: string): string {
  const all = expressions.join(' AND ');
  return exclude === undefined ? all : `(${all}) NOT ${exclude}`;
}

/** Like `wordPhrases`, but the last token of each phrase is a prefix. */
export function prefixPhrases(text: string): string[] {
  return wordPhrases(text).map((words) => `${words} *`);
}

/** A phrase for each word of the text. A word of several tokens, such as an address, is a phrase of these tokens. */
export function wordPhrases(text: string): string[] {
  const phrases = fold(text)
    .split(' ')
    .map((word) => tokenize(word).tokens)
    .filter((tokens) => tokens.length > 0)
    .map(phrase);
  return [...new Set(phrases)];
}
