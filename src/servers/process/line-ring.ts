import type { OutputLine } from './server-process.ts';

interface LineFacts {
  at: number;
  stream: OutputLine['stream'];
  /** Bytes at its end are missing. */
  isCut: boolean;
}

export interface StoredLine extends LineFacts {
  number: number;
  bytes: Buffer;
}

interface Place extends LineFacts {
  number: number;
  /** Position among all bytes that were ever added. */
  from: number;
  size: number;
}

export interface LineRing {
  /** Adds a line of at most `maxBytes`. The bytes are copied. */
  add(line: Buffer, facts: LineFacts): void;
  lines(): StoredLine[];
}

/** The newest lines in one buffer of fixed size, so that a flood causes no allocations. */
export function createLineRing({ maxBytes, maxLines }: { maxBytes: number; maxLines: number }): LineRing {
  let ring: Buffer | undefined;
  let places: Place[] = [];
  let end = 0;
  let count = 0;

  function isKept({ from, number }: Place): boolean {
    return from >= end - maxBytes && number > count - maxLines;
  }

  return {
    add(line, facts) {
      ring ??= Buffer.allocUnsafe(maxBytes);
      const at = end % maxBytes;
      const copied = line.copy(ring, at);
      line.copy(ring, 0, copied);
      count += 1;
      places.push({ ...facts, number: count, from: end, size: line.length });
      end += line.length;
      // Not with every line: removing the first element moves all others.
      if (places.length >= 2 * maxLines) places = places.filter(isKept);
    },
    lines() {
      places = places.filter(isKept);
      return places.map(({ from, size, ...facts }) => {
        const at = from % maxBytes;
        const head = (ring ?? Buffer.alloc(0)).subarray(at, at + size);
        const bytes =
          head.length === size ? head : Buffer.concat([head, ring?.subarray(0, size - head.length) ?? head]);
        return { ...facts, bytes };
      });
    },
  };
}
