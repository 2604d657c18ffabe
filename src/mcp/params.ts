import { AppError } from '../domain/errors.ts';
import { isRecord } from '../lib/is-record.ts';
import type { RequestMessage } from './envelope.ts';
import type { Era } from './errors.ts';
import { isLogLevel } from './log-levels.ts';

export type Params = Record<string, unknown>;

export function cursorOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
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
  const values = withoutNulls(recordOf(params, name));
  for (const key of Object.keys(values)) textOf(values, key, `${name}.${key}`);
  return values as Record<string, string>;
}

/** An optional argument that is null is as if it were missing: some clients send all of them. */
export function withoutNulls(args: Params): Params {
  const entries = Object.entries(args);
  if (!entries.some(([, value]) => typeof value === 'object')) return args;
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === null ? [] : [[key, withoutNullsIn(value)] as const])),
  );
}

/** The same for the parameters of a request that are optional in the protocol, which the SDK would refuse. */
export function withoutNullParams<T>(message: T): T {
  if (!isRecord(message) || !isRecord(message.params)) return message;
  const { params } = message;
  if (!OPTIONAL.some((key) => params[key] === null)) return message;
  const kept = Object.entries(params).filter(([key, value]) => value !== null || !OPTIONAL.includes(key));
  return { ...message, params: Object.fromEntries(kept) };
}

const OPTIONAL: readonly string[] = ['arguments', 'cursor', 'context'];

function withoutNullsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNullsIn);
  return isRecord(value) ? withoutNulls(value) : value;
}

export function invalid(field: string, problem: string): AppError {
  return new AppError('VALIDATION_ERROR', `${field} ${problem}.`, { field });
}

/** Checks what the SDK would refuse with the messages of its schema library. */
export function checkParams({ method, params = {} }: Pick<RequestMessage, 'method' | 'params'>, era: Era): void {
  if (method === 'tools/call') {
    textOf(params, 'name');
    recordOf(params, 'arguments');
  }
  // The stateless protocol has no such method; the SDK answers that.
  if (era === 'legacy' && method === 'logging/setLevel' && !isLogLevel(params.level)) {
    throw invalid('level', 'must be one of the levels of syslog, such as info or warning');
  }
}
