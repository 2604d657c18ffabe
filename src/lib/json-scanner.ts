import { createSpan } from './json-span.ts';

/** What to extract from a JSON text: this value, fields of an object, every element of an array; else skipped. */
export type Plan = typeof CUT | readonly [Plan] | { readonly [field: string]: Plan };
export const CUT = 'cut';

/** The path names fields, with `*` for elements. */
export type Piece =
  /** The bytes end where the value ends; they need not be valid JSON. */
  | { kind: 'value'; path: readonly string[]; bytes: Buffer }
  | { kind: 'too_large'; path: readonly string[] }
  /** An object or array of the plan. */
  | { kind: 'begin' | 'end'; path: readonly string[] };

export interface JsonScanner {
  push(chunk: Buffer): readonly Piece[];
  /** Whether everything that was opened was closed. */
  isComplete(): boolean;
  /** Whether something that is not read follows the value: a bracket too many, or another text. */
  isFollowed(): boolean;
}

interface Frame {
  plan: Exclude<Plan, typeof CUT>;
  path: readonly string[];
  /** Of an object: the field of the next value. */
  key?: string | undefined;
}

const [QUOTE, BACKSLASH, COMMA, COLON, SPACE] = [0x22, 0x5c, 0x2c, 0x3a, 0x20];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];
const LONGEST_KEY = 1_024;
const NO_PIECES: readonly Piece[] = [];

/**
 * Cuts values out of JSON of any size while it streams by, without parsing it: only one value is in memory at a time. A
 * malformed value does not affect the others. It never throws, and gigabytes may pass through, so the loops are plain.
 */
export function createJsonScanner(plan: Plan, largest: number): JsonScanner {
  const frames: Frame[] = [];
  let innermost: Frame | undefined;
  const span = createSpan();
  let pieces: Piece[] = [];
  let [hasBegun, isFollowed] = [false, false];
  /** The content of the current span. */
  let reading: 'key' | 'value' | 'skipped' | undefined;
  let valuePath: readonly string[] = [];

  function step(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    const frame = innermost;
    if (!frame) return beginRoot(byte, at);
    if (byte <= SPACE || byte === COLON) return at + 1;
    if (byte === COMMA) {
      frame.key = undefined;
      return at + 1;
    }
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return leave(frame, at);
    if (isList(frame.plan)) return begin(byte, frame.plan[0], frame, '*', at);
    if (frame.key !== undefined) return beginField(frame, frame.plan, frame.key, byte, at);
    return byte === QUOTE ? read('key', LONGEST_KEY, at) : read('skipped', 0, at);
  }

  function beginRoot(byte: number, at: number): number {
    if (byte <= SPACE || (!hasBegun && BYTE_ORDER_MARK.includes(byte))) return at + 1;
    if (hasBegun) {
      isFollowed = true;
      return at + 1;
    }
    hasBegun = true;
    return begin(byte, plan, undefined, '', at);
  }

  function beginField(frame: Frame, fields: Record<string, Plan>, key: string, byte: number, at: number): number {
    frame.key = undefined;
    return begin(byte, Object.hasOwn(fields, key) ? fields[key] : undefined, frame, key, at);
  }

  function begin(byte: number, planned: Plan | undefined, parent: Frame | undefined, key: string, at: number): number {
    if (planned === undefined) return read('skipped', 0, at);
    const path = parent ? [...parent.path, key] : [];
    if (planned === CUT) {
      valuePath = path;
      return read('value', largest, at);
    }
    if (byte !== (isList(planned) ? OPEN_ARRAY : OPEN_OBJECT)) return read('skipped', 0, at);
    innermost = { plan: planned, path };
    frames.push(innermost);
    pieces.push({ kind: 'begin', path });
    return at + 1;
  }

  function leave({ path }: Frame, at: number): number {
    frames.pop();
    innermost = frames.at(-1);
    pieces.push({ kind: 'end', path });
    return at + 1;
  }

  function read(what: typeof reading, limit: number, at: number): number {
    reading = what;
    span.begin(limit);
    return at;
  }

  function finish(): void {
    if (reading === 'key') setKey(span.bytes());
    else if (reading === 'value') {
      const bytes = span.bytes();
      pieces.push(bytes ? { kind: 'value', path: valuePath, bytes } : { kind: 'too_large', path: valuePath });
    }
    reading = undefined;
  }

  function setKey(bytes: Buffer | undefined): void {
    if (innermost) innermost.key = bytes ? keyIn(bytes) : '';
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (!reading) at = step(chunk, at);
        else {
          at = span.advance(chunk, at);
          if (span.isDone) finish();
        }
      }
      if (pieces.length === 0) return NO_PIECES;
      const found = pieces;
      pieces = [];
      return found;
    },
    isComplete: () => hasBegun && frames.length === 0 && reading === undefined,
    isFollowed: () => isFollowed,
  };
}

/** A key that is not JSON matches no field of a plan. */
function keyIn(bytes: Buffer): string {
  if (!bytes.includes(BACKSLASH)) return bytes.toString('utf8', 1, bytes.length - 1);
  try {
    return String(JSON.parse(bytes.toString('utf8')));
  } catch {
    return '';
  }
}

function isList(plan: Plan): plan is readonly [Plan] {
  return Array.isArray(plan);
}
