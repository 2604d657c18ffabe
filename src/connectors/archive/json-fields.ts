import { isRecord } from '../../lib/is-record.ts';
/** Reads fields of untrusted JSON: undefined if a field does not have the expected type. */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

/** A non-empty string. */
export function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number that is a count or an id. */
export function integerField(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

export function numberField(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return Number.isFinite(value) ? (value as number) : undefined;
}

export function listField(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

/** The elements of a list that are objects. */
export function recordsField(fields: Fields, name: string): readonly Fields[] {
  return listField(fields, name)
    .map(asFields)
    .filter((element) => element !== undefined);
}

/** The elements of a list that are non-empty strings. */
export function textsField(fields: Fields, name: string): readonly string[] {
  return listField(fields, name).flatMap((element) => (typeof element === 'string' && element !== '' ? element : []));
}
