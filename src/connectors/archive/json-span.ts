const [QUOTE, BACKSLASH, COMMA, NEWLINE, SPACE] = [0x22, 0x5c, 0x2c, 0x0a, 0x20];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** One JSON value on its way through chunks: where it ends is found by its brackets and quotes alone. */
export interface Span {
  /** Reads on from a place in the chunk; gives the place after what belongs to the value. */
  advance(chunk: Buffer, from: number): number;
  readonly isDone: boolean;
  /** Its bytes; undefined where there were more than the limit. */
  bytes(): Buffer | undefined;
}

/** Holds up to `limit` bytes; a value that is passed over has the limit 0. */
export function createSpan(limit: number): Span {
  let parts: Buffer[] = [];
  let [length, depth] = [0, 0];
  let [isDone, inString, isEscaped] = [false, false, false];

  function end(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (inString) {
        if (byte === NEWLINE) {
          // JSON has no newlines in strings: the quote that should have closed it is missing. Only this value suffers.
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
    advance(chunk, from) {
      const to = end(chunk, from);
      length += to - from;
      if (length > limit) parts = [];
      else parts.push(chunk.subarray(from, to));
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
