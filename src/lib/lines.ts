const NEWLINE = 0x0a;

interface Cutter {
  push(chunk: Buffer): void;
  /** Returns the incomplete last line, and clears it. */
  rest(): Buffer;
}

interface LongLines {
  /** A line that grows beyond so many bytes is not held back any longer. */
  holdUpTo: number;
  /** A piece of such a line; the last one has the line's end. */
  onPiece(piece: Buffer): void;
}

/** Splits a byte stream into complete lines with their newlines; an incomplete line waits for its remainder. */
export function createLineCutter(onLine: (line: Buffer) => void, long?: LongLines): Cutter {
  let parts: Buffer[] = [];
  let held = 0;
  let inLongLine = false;

  function endLine(piece: Buffer): void {
    if (inLongLine) long?.onPiece(piece);
    else onLine(parts.length === 0 ? piece : Buffer.concat([...parts, piece]));
    parts = [];
    held = 0;
    inLongLine = false;
  }

  function hold(piece: Buffer): void {
    if (inLongLine) return long?.onPiece(piece);
    parts.push(piece);
    held += piece.length;
    if (!long || held <= long.holdUpTo) return;
    inLongLine = true;
    for (const part of parts) long.onPiece(part);
    parts = [];
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        // Most often a chunk is one line.
        endLine(start === 0 && end === chunk.length - 1 ? chunk : chunk.subarray(start, end + 1));
        start = end + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    },
    rest() {
      const rest = Buffer.concat(parts);
      parts = [];
      held = 0;
      return rest;
    },
  };
}
