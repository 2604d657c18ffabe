import { AppError } from '../domain/errors.ts';
import { isRecord } from '../lib/is-record.ts';

export type Params = Record<string, unknown>;

export function cursorOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw invalid('cursor', 'must be a string');
}

export function textOf(params: Params, name: string, field = name): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw invalid(field, value === undefined ? 'is required' : 'must be a string');
}

export function recordOf(params: Params, name: string): Params {
  const value = params[name] ?? {};
  if (isRecord(value)) return value;
  throw invalid(name, 'must be an object');
}

export function textsOf(params: Params, name: string): Record<string, string> {
  const values = recordOf(params, name);
  for (const key of Object.keys(values)) textOf(values, key, `${name}.${key}`);
  return values as Record<string, string>;
}

export function invalid(field: string, problem: string): AppError {
  return new AppError('VALIDATION_ERROR', `${field} ${problem}.`, { field });
}
