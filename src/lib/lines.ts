const NEWLINE = 0x0a;

/** Cuts a byte stream into whole lines, ends included; a part of a line waits for the rest of it. */
export function createLineCutter(onLine: (line: Buffer) => void) {
  let parts: Buffer[] = [];

  return {
    push(chunk: Buffer): void {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const piece = chunk.subarray(start, end + 1);
        onLine(parts.length === 0 ? piece : Buffer.concat([...parts, piece]));
        parts = [];
        start = end + 1;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
    },
    /** What is left without an end; it is forgotten here. */
    rest(): Buffer {
      const rest = Buffer.concat(parts);
      parts = [];
      return rest;
    },
  };
}
