import type { ArchiveEntry } from './open-archive.ts';

export interface EntryLine {
  /** Counted from 1. */
  number: number;
  /** Without its line break. Empty if the line exceeds the limit. */
  bytes: Buffer;
  isTooLong: boolean;
  /** Bytes of the file read so far, including this line. */
  end: number;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const EMPTY = Buffer.alloc(0);
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The lines of a file, terminated by \n, \r\n or the end of the file. A byte order mark is removed. */
export async function* linesOf(entry: ArchiveEntry, longest: number, signal: AbortSignal): AsyncIterable<EntryLine> {
  let [number, position, length] = [0, 0, 0];
  let held: Buffer[] = [];

  function hold(piece: Buffer): void {
    length += piece.length;
    if (length > longest) held = [];
    else held.push(piece);
  }

  function finish(end: number): EntryLine {
    const isTooLong = length > longest;
    const bytes = isTooLong ? EMPTY : bare(held.length === 1 && held[0] ? held[0] : Buffer.concat(held), number === 0);
    held = [];
    length = 0;
    number += 1;
    return { number, bytes, isTooLong, end };
  }

  for await (const chunk of entry.read()) {
    signal.throwIfAborted();
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end));
      start = end + 1;
      yield finish(position + start);
    }
    if (start < chunk.length) hold(chunk.subarray(start));
    position += chunk.length;
  }
  if (length > 0) yield finish(position);
}

function bare(line: Buffer, isFirst: boolean): Buffer {
  const start =
    isFirst && line.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  return line.subarray(start, line.at(-1) === RETURN ? -1 : undefined);
}
