import { z } from 'zod';

/** The longest time a timer of Node can wait; a longer one would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** What may stand in a text instead of a value, to be looked up in the secrets store. */
export const SECRET_REFERENCE = /\$\{secret:([^}]*)\}/g;

/** A text that nobody may see: masked wherever the configuration is shown. */
export function secret(valid?: string, isValid?: (text: string) => boolean) {
  const field = valid === undefined || isValid === undefined ? z.string() : formatted(valid, isValid);
  return field.meta({ ...field.meta(), secret: true });
}

/** A text of a certain form. `valid` says which, after "must be". What only the secrets store knows is not checked. */
export function formatted(valid: string, isValid: (text: string) => boolean) {
  return z
    .string()
    .refine((text) => text.search(SECRET_REFERENCE) >= 0 || isValid(text))
    .meta({ valid });
}

export function milliseconds(fallback: number, least = 1) {
  return z.int().min(least).max(LONGEST_TIMER).default(fallback);
}

export function amount(fallback: number, least = 1, most = 1_000_000) {
  return z.int().min(least).max(most).default(fallback);
}

export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
