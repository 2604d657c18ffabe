import type { ArchiveEntry } from './open-archive.ts';

export interface EntryLine {
  /** Counted from 1. */
  number: number;
  /** Without its end. Empty where the line is too long to be held. */
  bytes: Buffer;
  isTooLong: boolean;
  /** How many bytes of the file are read with it. */
  end: number;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const EMPTY = Buffer.alloc(0);
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** The lines of a file, ended by \n or \r\n, the last one also by the end. A byte order mark at its beginning is left out. */
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
