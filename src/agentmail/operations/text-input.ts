import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';

/**
 * Texts as clients see them in the schema, but looked at by ourselves: what is wrong with one, or that it is missing, is
 * told in the words that agents of the original program know, not in those of the schema library.
 */
export function textInput<Name extends string>(
  fields: Record<Name, { description: string; enum?: readonly string[] }>,
) {
  const names = Object.keys(fields) as Name[];
  const entries = names.map(
    (name) =>
      [
        name,
        z
          .unknown()
          .optional()
          .meta({ type: 'string', ...fields[name] }),
      ] as const,
  );
  const shape = Object.fromEntries(entries) as Record<Name, z.ZodOptional<z.ZodUnknown>>;
  return z.strictObject(shape).meta({ required: names });
}

/** Nothing at all is an empty text, as it was in the original. */
export function textOf(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new AppError('VALIDATION_ERROR', `${field} must be a text.`, { field });
}
