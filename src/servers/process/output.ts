import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../lib/clock.ts';
import { createLineRing, type StoredLine } from './line-ring.ts';
import type { OutputLine, ServerOutput } from './server-process.ts';

export interface OutputOptions {
  clock: Clock;
  /** Replaces secrets in a text. */
  mask(text: string): string;
  /** Lines that are kept have at most so many bytes together. */
  maxBytes?: number;
  maxLines?: number;
}

type Stream = 'stderr' | 'stdout';

/** A line that is not complete yet. One that is too long is added at once, and its remainder is left out. */
interface Unfinished {
  bytes: Buffer;
  size: number;
  isTooLong: boolean;
}

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);
const MAX_BYTES = 64 * 1024;
const MAX_LINES = 1_000;
/** Of a line, so many bytes are kept, or this part of all that is kept. */
const MAX_LINE_BYTES = 8 * 1024;
const MAX_LINE_SHARE = 1 / 8;
/** At this interval, at most, listeners are called. */
const NOTIFY_MS = 50;

/** Keeps the newest lines of a server. Bytes are decoded and masked when they are read, which most never are. */
export function createServerOutput({
  clock,
  mask,
  maxBytes = MAX_BYTES,
  maxLines = MAX_LINES,
}: OutputOptions): ServerOutput {
  const maxLineBytes = Math.floor(Math.min(MAX_LINE_BYTES, maxBytes * MAX_LINE_SHARE));
  const ring = createLineRing({ maxBytes, maxLines });
  const unfinished: Partial<Record<Stream, Unfinished | undefined>> = {};
  const listeners = new Set<() => void>();
  let willNotify = false;

  function add(stream: OutputLine['stream'], bytes: Buffer, at: number): void {
    const isCut = bytes.length > maxLineBytes;
    ring.add(isCut ? bytes.subarray(0, maxLineBytes) : bytes, { at, stream, isCut });
    if (listeners.size === 0 || willNotify) return;
    willNotify = true;
    setTimeout(notify, NOTIFY_MS).unref();
  }

  function notify(): void {
    willNotify = false;
    for (const listener of [...listeners]) listener();
  }

  function hold(stream: Stream, piece: Buffer, at: number): void {
    // One more byte than is kept, by which `add` knows that the line is longer.
    const line = unfinished[stream] ?? { bytes: Buffer.allocUnsafe(maxLineBytes + 1), size: 0, isTooLong: false };
    unfinished[stream] = line;
    if (line.isTooLong) return;
    line.size += piece.copy(line.bytes, line.size);
    if (line.size <= maxLineBytes) return;
    line.isTooLong = true;
    add(stream, line.bytes, at);
  }

  function finish(stream: Stream, piece: Buffer, at: number): void {
    const line = unfinished[stream];
    if (!line?.size) return add(stream, piece, at);
    hold(stream, piece, at);
    if (!line.isTooLong) add(stream, line.bytes.subarray(0, line.size), at);
    line.size = 0;
    line.isTooLong = false;
  }

  function end(stream: Stream): void {
    if (unfinished[stream]?.size) finish(stream, NOTHING, clock.now());
  }

  /** Mask before cutting: a part of a secret would not be recognised. */
  function textOf({ bytes, isCut }: StoredLine): string {
    const text = mask(stripVTControlCharacters(bytes.toString('utf8'))).replace(/\r$/, '');
    // The end of what was kept may be the beginning of a secret, so much more is cut off.
    return isCut ? `${text.slice(0, -Math.ceil(maxLineBytes / 2)).toWellFormed()}…` : text;
  }

  return {
    write(stream, chunk) {
      const at = clock.now();
      const lines = newestLines(chunk, maxLines);
      // More lines than are kept: the unfinished one belongs to those that are left out.
      if (lines[0] && lines[0].from > 0) unfinished[stream] = undefined;
      for (const { from, to } of lines) finish(stream, chunk.subarray(from, to), at);
      const rest = chunk.lastIndexOf(NEWLINE) + 1;
      if (rest < chunk.length) hold(stream, chunk.subarray(rest), at);
    },
    end,
    note(text) {
      end('stderr');
      end('stdout');
      add('switchboard', Buffer.from(text), clock.now());
    },
    lines({ last = maxLines, after = 0 } = {}) {
      const chosen = ring.lines().filter(({ number }) => number > after);
      return chosen
        .slice(Math.max(0, chosen.length - last))
        .map((line) => ({ number: line.number, at: line.at, stream: line.stream, text: textOf(line) }));
    },
    tail(maxLength, after = 0) {
      const texts: string[] = [];
      let length = -1;
      for (const line of ring.lines().toReversed()) {
        if (line.stream !== 'stderr' || line.number <= after || length > maxLength) continue;
        const text = textOf(line);
        texts.unshift(text);
        length += text.length + 1;
      }
      const tail = texts.join('\n');
      return tail.length > maxLength ? tail.slice(tail.length - maxLength).toWellFormed() : tail;
    },
    listen(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

/** Positions of the last complete lines of a chunk, oldest first, without their newlines. */
function newestLines(chunk: Buffer, count: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let to = chunk.lastIndexOf(NEWLINE);
  while (to !== -1 && found.length < count) {
    // A negative position would count from the end.
    const before = to === 0 ? -1 : chunk.lastIndexOf(NEWLINE, to - 1);
    found.push({ from: before + 1, to });
    to = before;
  }
  return found.reverse();
}
