import { z } from 'zod';
import { core, SECRET_REFERENCE } from '../settings.ts';
import { childOf, fieldsOf, isContainer, isSecret, type Path } from './schema-walk.ts';

interface ConfigValue {
  path: Path;
  schema: z.core.$ZodType;
  /** Undefined when it is not set. */
  value: unknown;
}

/** Every single value of a configuration, set or not. */
export function* configValues(value: unknown, schema: z.core.$ZodType, path: Path = []): Generator<ConfigValue> {
  if (!isCompound(schema, value)) yield { path, schema, value };
  else
    for (const child of childrenOf(schema, value))
      yield* configValues(child.value, child.schema, [...path, child.step]);
}

/** A reference to a secret is not a secret. */
export function isReference(value: unknown): boolean {
  return typeof value === 'string' && value.replace(SECRET_REFERENCE, '') === '';
}

/** The secrets in a value, which may be a part of it, or of the texts of a list. */
export function secretsIn(schema: z.core.$ZodType, value: unknown): string[] {
  const inner = core(schema);
  if (Array.isArray(value)) {
    return inner instanceof z.ZodArray ? value.flatMap((each) => secretsIn(inner.element, each)) : [];
  }
  if (typeof value !== 'string') return [];
  const find = z.globalRegistry.get(inner)?.secretPart;
  const found = isSecret(schema) ? value : typeof find === 'function' ? find(value) : undefined;
  return typeof found !== 'string' || isReference(found) ? [] : [found];
}

/** A list of plain values is one value; a list of mappings is what is in it. */
export function isCompound(schema: z.core.$ZodType, value: unknown): value is Record<string | number, unknown> {
  if (Array.isArray(value)) return value.some(isContainer);
  return isContainer(value) && (Object.keys(value).length > 0 || fieldsOf(schema).size > 0);
}

export function childrenOf(
  schema: z.core.$ZodType,
  value: Record<string | number, unknown>,
): { step: string | number; schema: z.core.$ZodType; value: unknown }[] {
  return stepsIn(schema, value).flatMap((step) => {
    const child = childOf(schema, step, value);
    return child ? [{ step, schema: child, value: value[step] }] : [];
  });
}

function stepsIn(schema: z.core.$ZodType, value: Record<string | number, unknown>): (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  const fields = [...fieldsOf(schema, value).keys()];
  return fields.length > 0 ? fields : Object.keys(value);
}
