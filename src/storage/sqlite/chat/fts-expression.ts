import { fold, tokenize } from './tokenize.ts';

/**
 * Expressions of the full-text index. They are made of tokens only, which have neither quotes nor spaces in them, so
 * nothing that anybody writes becomes an operator.
 */

export function phrase(tokens: readonly string[]): string {
  return `"${tokens.join(' ')}"`;
}

export function anyOf(tokens: readonly string[]): string {
  return `(${tokens.map((token) => `"${token}"`).join(' OR ')})`;
}

export function allOf(expressions: readonly string[]): string {
  return expressions.join(' AND ');
}

/** The same, where the last word of each is only the beginning of one. */
export function prefixPhrases(text: string): string[] {
  return wordPhrases(text).map((words) => `${words} *`);
}

/** Every word of the text, whole; a word that is written as several, such as an address, in that order. */
export function wordPhrases(text: string): string[] {
  const phrases = fold(text)
    .split(' ')
    .map((word) => tokenize(word).tokens)
    .filter((tokens) => tokens.length > 0)
    .map(phrase);
  return [...new Set(phrases)];
}
