import { resolve } from 'node:path';
import { z } from 'zod';

/** The longest time that a timer of Node can wait; a longer one would fire immediately. */
const LONGEST_TIMER = 2_147_483_647;
const HIGHEST_PORT = 65_535;

/** May be in a text instead of a value, which is then read from the secrets store. */
export const SECRET_REFERENCE = /\$\{secret:([^}]*)\}/g;

/** A text that is masked wherever the configuration is shown. */
export function secret(valid?: string, isValid?: (text: string) => boolean) {
  const field = valid === undefined || isValid === undefined ? z.string() : formatted(valid, isValid);
  return field.meta({ ...field.meta(), secret: true });
}

/** A text of which a part is a secret: `find` gives that part, as it is in the text. */
export function partlySecret(find: (text: string) => string | undefined) {
  return z.string().meta({ secretPart: find });
}

/** A text of a certain form. `valid` describes it, after "must be". References to the secrets store are not checked. */
export function formatted(valid: string, isValid: (text: string) => boolean) {
  return z
    .string()
    .refine((text) => text.search(SECRET_REFERENCE) >= 0 || isValid(text))
    .meta({ valid });
}

/** A path, relative to the folder of the configuration file: `withFilePaths` resolves it. */
export function file() {
  return z.string().meta({ file: true });
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

export function httpUrl() {
  return formatted('an address that begins with http:// or https://', isHttpUrl);
}

export function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

export function port(fallback: number) {
  return amount(fallback, 1, HIGHEST_PORT).describe('Port.');
}

/** The policy for outgoing messages of a capability. */
export const WhatMayLeave = z.enum(['allow', 'careful', 'hold', 'deny']);
export const recipients = () =>
  z
    .array(z.string())
    .optional()
    .describe('Allowed recipients: `ID`, `SOURCE:ID`, or `name:NAME` where only one chat has the name. Default: all.');

/** For one source, account or token; what it leaves out is as in the general policy. */
export const OwnPolicy = z
  .strictObject({
    send: WhatMayLeave.optional().describe('Like `policy.send`, for this entry.'),
    allowed_recipients: recipients(),
  })
  .optional()
  .describe('Policy for messages sent through it.');

/** The settings of every source and account. */
export const Named = {
  name: z.string().optional().describe('Display name; default: its id.'),
  policy: OwnPolicy,
};

/** The schema without its wrappers for optional, default and lazy. */
export function core(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return core(schema.unwrap());
  }
  // Built once: `unwrap` builds a new one each time.
  if (schema instanceof z.ZodLazy) return core(schema._zod.innerType);
  return schema;
}

/** The values with the paths of all `file` fields resolved against `folder`. */
export function withFilePaths<Values extends object>(schema: z.ZodObject, values: Values, folder: string): Values {
  const isFile = (key: string) => {
    const field = schema.shape[key];
    return field !== undefined && z.globalRegistry.get(core(field))?.file === true;
  };
  const entries = Object.entries(values).map(([key, value]) => [
    key,
    typeof value === 'string' && isFile(key) ? resolve(folder, value) : value,
  ]);
  return Object.fromEntries(entries) as Values;
}
