import { fstatSync, writeSync } from 'node:fs';
import { readAt } from '../repository/repository-file.ts';

const NEWLINE = 10;
/** With a valid hint this is enough for the next letter. */
const FIRST_READ = 2_048;
const LARGEST_READ = 524_288;
/** A longer line is not a letter, and is skipped without being held in memory. */
const LONGEST_LINE = 67_108_864;

export interface FileLine {
  start: number;
  /** After its newline, if it has one. */
  end: number;
  /** Without its newline; empty for a line that is too long. */
  bytes: Buffer;
  /** False for the bytes after the last newline. */
  isWhole: boolean;
}

/** The lines of a file from a position where a line begins. */
export function* linesOf(file: number, from = 0): Generator<FileLine> {
  let start = from;
  let position = from;
  let held: Buffer[] = [];
  for (const chunk of chunksOf(file, from)) {
    let offset = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, offset)) {
      const bytes = joined(held, chunk.subarray(offset, newline));
      offset = newline + 1;
      yield { start, end: position + offset, bytes: withinLimit(bytes, position + offset - start), isWhole: true };
      start = position + offset;
      held = [];
    }
    position += chunk.length;
    held = position - start > LONGEST_LINE ? [] : [...held, chunk.subarray(offset)];
  }
  const rest = joined(held, Buffer.alloc(0));
  if (position > start) yield { start, end: position, bytes: withinLimit(rest, position - start), isWhole: false };
}

/** One line, complete or not; undefined at the end of the file. */
export function lineAt(file: number, start: number): FileLine | undefined {
  const { value } = linesOf(file, start).next();
  return value ?? undefined;
}

export function writeAt(file: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}

/** The file does not change, because its lock is held. */
function* chunksOf(file: number, from: number): Generator<Buffer> {
  const { size: end } = fstatSync(file);
  let position = from;
  for (let size = FIRST_READ; position < end; size = Math.min(size * 8, LARGEST_READ)) {
    const chunk = readAt(file, position, Math.min(size, end - position));
    if (chunk.length === 0) return;
    yield chunk;
    position += chunk.length;
  }
}

function joined(held: readonly Buffer[], last: Buffer): Buffer {
  return held.length === 0 ? last : Buffer.concat([...held, last]);
}

function withinLimit(bytes: Buffer, length: number): Buffer {
  return length > LONGEST_LINE ? Buffer.alloc(0) : bytes;
}
