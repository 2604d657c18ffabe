import { z } from 'zod';
import { core } from '../settings.ts';

/** A path in the configuration: keys, and numbers for the entries of a list. */
export type Path = readonly (string | number)[];

const LONGEST_NAME = 64;

/** In readable form: `auth.tokens[0].name`. */
export function keyOf(path: Path): string {
  return path.reduce<string>((key, step) => {
    if (typeof step === 'number') return `${key}[${step}]`;
    return key === '' ? nameOf(step) : `${key}.${nameOf(step)}`;
  }, '');
}

/**
 * An unknown name, truncated at the first character that names do not contain: `token=…` could reveal a secret, a
 * line break could forge a line.
 */
export function nameOf(text: string): string {
  const [name = ''] = /^[\p{L}\p{N}_<-]*/u.exec(text.slice(0, LONGEST_NAME)) ?? [];
  return name === text ? name : `${name}…`;
}

export function isSecret(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(core(schema))?.secret === true;
}

export function isList(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && core(schema) instanceof z.ZodArray;
}

/** The allowed keys. For a union those of the kind in `value`, or of all kinds if it has none. */
export function fieldsOf(schema: z.core.$ZodType, value?: unknown): ReadonlyMap<string, z.core.$ZodType> {
  const inner = core(schema);
  if (inner instanceof z.ZodObject) return new Map(Object.entries(inner.shape));
  if (!(inner instanceof z.ZodDiscriminatedUnion)) return new Map();
  const { discriminator } = inner.def;
  const kinds = inner.options.filter((option) => option instanceof z.ZodObject);
  const said = isContainer(value) ? value[discriminator] : undefined;
  const meant = kinds.filter((kind) => literalsOf(kind.shape[discriminator]).some((name) => name === said));
  const fields = new Map((meant.length > 0 ? meant : kinds).flatMap((kind) => Object.entries(kind.shape)));
  const names = kinds.flatMap((kind) => literalsOf(kind.shape[discriminator]));
  return fields.set(discriminator, z.enum(names).describe('Kind of the entry.'));
}

/** The schema at `path` within `schema`; `value` is the current value, which decides between kinds. */
export function schemaAt(schema: z.core.$ZodType, path: Path, value?: unknown): z.core.$ZodType | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  const next = childOf(schema, step, value);
  return next && schemaAt(next, rest, isContainer(value) ? value[step] : undefined);
}

export function childOf(schema: z.core.$ZodType, step: string | number, value?: unknown): z.core.$ZodType | undefined {
  const inner = core(schema);
  if (inner instanceof z.ZodArray) return typeof step === 'number' ? inner.element : undefined;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  return fieldsOf(inner, value).get(String(step));
}

/** What is allowed here, to follow "must be". */
export function validity(schema: z.core.$ZodType): string {
  const inner = core(schema);
  const said = z.globalRegistry.get(inner)?.valid;
  if (typeof said === 'string') return said;
  if (inner instanceof z.ZodNumber) {
    return `a ${inner.isInt ? 'whole ' : ''}number${range(inner.minValue, inner.maxValue)}`;
  }
  if (inner instanceof z.ZodBoolean) return 'true or false';
  if (inner instanceof z.ZodEnum) return oneOf(inner.options.map(String));
  if (inner instanceof z.ZodLiteral) return oneOf(literalsOf(inner));
  if (inner instanceof z.ZodArray) return `a list, each entry ${validity(inner.element)}`;
  if (inner instanceof z.ZodDiscriminatedUnion || inner instanceof z.ZodObject || inner instanceof z.ZodRecord) {
    return 'a mapping of keys to values';
  }
  if (inner instanceof z.ZodUnion) return inner.options.map(validity).join(' or ');
  return 'text';
}

/** A mapping or a list. */
export function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

function oneOf(words: readonly string[]): string {
  return words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`;
}

function range(least: number | null, most: number | null): string {
  if (least === null || most === null) return '';
  return most >= Number.MAX_SAFE_INTEGER ? ` of at least ${least}` : ` from ${least} to ${most}`;
}

function literalsOf(schema: z.core.$ZodType | undefined): string[] {
  return schema instanceof z.ZodLiteral ? [...schema.values].map(String) : [];
}
