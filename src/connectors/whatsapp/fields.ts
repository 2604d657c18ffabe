/** Reads fields of decoded messages. They come from strangers, and the library does not check them. */
export type Fields = Record<string, unknown>;

const LONGEST_TEXT = 100_000;
/** The largest valid timestamp. */
const END_OF_TIME = 8_640_000_000_000_000;

export function fieldsIn(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** A text that is not empty. */
export function textIn(value: unknown, longest = LONGEST_TEXT): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return value.slice(0, longest).toWellFormed();
}

/** Numbers of 64 bits are objects. */
export function numberIn(value: unknown): number | undefined {
  const isNumeric = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string';
  const number = Number(isNumeric ? value : isLong(value) ? value.toString() : Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}

function isLong(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'low' in value && 'high' in value && 'unsigned' in value;
}

export function listIn(value: unknown, most: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

export function bytesIn(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array && value.length > 0 ? value : undefined;
}

/** Milliseconds since 1970, of a timestamp in seconds. */
export function timeOfSeconds(value: unknown): number {
  return timeOfMilliseconds((numberIn(value) ?? 0) * 1_000);
}

export function timeOfMilliseconds(value: unknown): number {
  return Math.min(Math.max(Math.trunc(numberIn(value) ?? 0), 0), END_OF_TIME);
}
