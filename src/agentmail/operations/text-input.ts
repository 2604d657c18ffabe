import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';

/**
 * Strings in the schema that clients see, but checked by the operation: errors have the wording of the original
 * program, not of the schema library.
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

/** A missing value is an empty text, as in the original. */
export function textOf(value: unknown, field: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new AppError('VALIDATION_ERROR', `${field} must be a text.`, { field });
}
