import { z } from 'zod';

/** A text of a stranger, cut to a bound. What is not a text is as if it were missing. */
export function shortText(maxLength: number) {
  return z
    .string()
    .transform((text) => cut(text, maxLength))
    .optional()
    .catch(undefined);
}

export function cut(text: string, maxLength: number): string {
  const tidy = text.trim();
  return tidy.length <= maxLength ? tidy : `${tidy.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The name of an input: nothing in it could be read as more than a name. */
export function inputKey(name: string): string {
  const key = name
    .replace(/[^\w.-]+/g, '_')
    .replace(/^[-.]+/, '')
    .slice(0, 100);
  return key || 'value';
}

export const DESCRIPTION_LENGTH = 300;
