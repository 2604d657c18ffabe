const [QUOTE, BACKSLASH, COMMA, NEWLINE, SPACE] = [0x22, 0x5c, 0x2c, 0x0a, 0x20];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** One JSON value that arrives in chunks. Its end is found by its brackets and quotes alone. */
export interface Span {
  /** Starts the next value, of which up to `limit` bytes are kept. A value to skip has the limit 0. */
  begin(limit: number): void;
  /** Reads on from an offset in the chunk; returns the offset after the last byte of the value. */
  advance(chunk: Buffer, from: number): number;
  readonly isDone: boolean;
  /** The bytes of the value; undefined where there were more than the limit. */
  bytes(): Buffer | undefined;
}

/** One span is used for all values of a text, one after the other: skipping a value allocates nothing. */
export function createSpan(): Span {
  let parts: Buffer[] = [];
  let [limit, length, depth] = [0, 0, 0];
  let [isDone, inString, isEscaped] = [false, false, false];

  function end(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (inString) {
        if (byte === NEWLINE) {
          // JSON has no newlines in strings: the closing quote is missing. Only this value is affected.
          inString = false;
          isEscaped = false;
        } else if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (depth === 0) return done(at + 1);
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth === 0) return done(at);
        depth -= 1;
        if (depth === 0) return done(at + 1);
      } else if (depth === 0 && (byte === COMMA || byte <= SPACE)) return done(at);
    }
    return chunk.length;
  }

  function done(at: number): number {
    isDone = true;
    return at;
  }

  return {
    begin(most) {
      limit = most;
      length = 0;
      depth = 0;
      isDone = false;
      inString = false;
      isEscaped = false;
      if (parts.length > 0) parts = [];
    },
    advance(chunk, from) {
      const to = end(chunk, from);
      length += to - from;
      if (length <= limit) parts.push(chunk.subarray(from, to));
      else if (parts.length > 0) parts = [];
      return to;
    },
    get isDone() {
      return isDone;
    },
    bytes() {
      if (length > limit) return undefined;
      return parts.length === 1 ? parts[0] : Buffer.concat(parts);
    },
  };
}
