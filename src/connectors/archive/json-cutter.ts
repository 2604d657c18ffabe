import { createSpan, type Span } from './json-span.ts';
import { parseJson } from './json-text.ts';

/** What to cut out of a JSON text: this value, fields of an object, every element of an array. All else is passed over. */
export type Plan = typeof CUT | readonly [Plan] | { readonly [field: string]: Plan };
export const CUT = 'cut';

/** The path names fields, and says `*` for elements. */
export type Piece =
  /** The bytes end where the value ends; whether they are JSON is for the reader to find out. */
  | { kind: 'value'; path: readonly string[]; bytes: Buffer }
  | { kind: 'too_large'; path: readonly string[] }
  /** An object or array of the plan. */
  | { kind: 'begin' | 'end'; path: readonly string[] };

export interface Cutter {
  push(chunk: Buffer): readonly Piece[];
  /** Whether everything that was opened was closed. */
  isComplete(): boolean;
}

interface Frame {
  plan: Exclude<Plan, typeof CUT>;
  path: readonly string[];
  /** Of an object: the field whose value comes next. */
  key?: string | undefined;
}

interface Passing {
  span: Span;
  what: 'key' | 'value' | 'nothing';
  path: readonly string[];
}

const [QUOTE, COMMA, COLON, SPACE] = [0x22, 0x2c, 0x3a, 0x20];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];
const LONGEST_KEY = 1_024;

/**
 * Cuts values out of JSON of any size while it streams by: only one of them is in memory at a time. A value that is broken
 * costs no other, and what else is wrong with the text does not matter.
 */
export function createCutter(plan: Plan, largest: number): Cutter {
  const frames: Frame[] = [];
  let pieces: Piece[] = [];
  let hasBegun = false;
  let passing: Passing | undefined;

  function step(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    const frame = frames.at(-1);
    if (!frame) return beginRoot(byte, at);
    if (byte <= SPACE || byte === COLON) return at + 1;
    if (byte === COMMA) {
      frame.key = undefined;
      return at + 1;
    }
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return leave(frame, at);
    if (Array.isArray(frame.plan)) return begin(byte, frame.plan[0], [...frame.path, '*'], at);
    if (frame.key !== undefined) return beginField(frame, frame.key, byte, at);
    return pass(byte === QUOTE ? 'key' : 'nothing', frame.path, at);
  }

  function beginRoot(byte: number, at: number): number {
    if (hasBegun || byte <= SPACE || BYTE_ORDER_MARK.includes(byte)) return at + 1;
    hasBegun = true;
    return begin(byte, plan, [], at);
  }

  function beginField(frame: Frame, key: string, byte: number, at: number): number {
    frame.key = undefined;
    return begin(byte, fieldOf(frame.plan, key), [...frame.path, key], at);
  }

  function begin(byte: number, planned: Plan | undefined, path: readonly string[], at: number): number {
    if (planned === CUT) return pass('value', path, at);
    if (!planned || byte !== (Array.isArray(planned) ? OPEN_ARRAY : OPEN_OBJECT)) return pass('nothing', path, at);
    frames.push({ plan: planned, path });
    pieces.push({ kind: 'begin', path });
    return at + 1;
  }

  function leave({ path }: Frame, at: number): number {
    frames.pop();
    pieces.push({ kind: 'end', path });
    return at + 1;
  }

  function pass(what: Passing['what'], path: readonly string[], at: number): number {
    passing = { span: createSpan({ key: LONGEST_KEY, value: largest, nothing: 0 }[what]), what, path };
    return at;
  }

  function finish({ span, what, path }: Passing): void {
    const bytes = span.bytes();
    if (what === 'key') setKey(bytes);
    else if (what === 'value') pieces.push(bytes ? { kind: 'value', path, bytes } : { kind: 'too_large', path });
    passing = undefined;
  }

  function setKey(bytes: Buffer | undefined): void {
    const frame = frames.at(-1);
    if (frame) frame.key = bytes ? String(parseJson(bytes)) : '';
  }

  return {
    push(chunk) {
      pieces = [];
      for (let at = 0; at < chunk.length; ) {
        if (!passing) at = step(chunk, at);
        else {
          at = passing.span.advance(chunk, at);
          if (passing.span.isDone) finish(passing);
        }
      }
      return pieces;
    },
    isComplete: () => hasBegun && frames.length === 0 && passing === undefined,
  };
}

function fieldOf(plan: Frame['plan'], key: string): Plan | undefined {
  return !Array.isArray(plan) && Object.hasOwn(plan, key) ? (plan as Record<string, Plan>)[key] : undefined;
}
