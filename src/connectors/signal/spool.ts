import { closeSync, openSync, watch } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createLineCutter } from '../../lib/lines.ts';
import { createWakeup } from '../../lib/wakeup.ts';
import type { Memory } from '../connector.ts';
import { MAX_LINE_BYTES } from './daemon.ts';

/** A line of a file; `stored` is called when it is not needed any more. */
export type TakeLine = (line: string, stored: () => void) => void;

const CHUNK_BYTES = 64 * 1024;
/** In case that the operating system does not report a change. */
const POLL_MS = 500;
const POSITION = 'spool';

/**
 * Files that signal-cli writes its output to. signal-cli forgets a message as soon as it has written it, so what it
 * writes must not be lost with this process: the next one continues to read where the last one had stored everything.
 */
export async function openSpool(folder: string, memory: Memory, take: TakeLine) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [known, from] = ((await memory.get(POSITION)) ?? '0:0').split(':').map(Number);
  const former = (await readdir(folder)).flatMap((name) => /^(\d+)\.jsonl$/.exec(name)?.[1] ?? []).map(Number);
  const current = Math.max(0, known ?? 0, ...former) + 1;
  let saving: Promise<void> | undefined;
  let position = '';

  /** At most one is written at a time: only the last counts. */
  function save(number: number, offset: number): void {
    position = `${number}:${offset}`;
    saving ??= (async () => {
      for (let written = ''; written !== position; ) {
        written = position;
        await memory.set(POSITION, written);
      }
    })()
      // Then lines are read again, which changes nothing.
      .catch(() => {})
      .finally(() => {
        saving = undefined;
      });
  }

  function follow(number: number, start: number) {
    return followFile(join(folder, `${number}.jsonl`), start, take, (offset) => save(number, offset));
  }

  return {
    /** For the output of a new process. */
    descriptor: (): number => openSync(join(folder, `${current}.jsonl`), 'a', 0o600),
    close: closeSync,
    /** Reads what a former process has left, to the end; resolves when it is stored. */
    async readFormer(): Promise<void> {
      for (const number of former.toSorted((one, other) => one - other)) {
        const reader = follow(number, number === known ? (from ?? 0) : 0);
        await reader.end();
        await reader.stored();
        await rm(join(folder, `${number}.jsonl`), { force: true });
      }
    },
    follow: () => follow(current, 0),
    saved: async () => void (await saving),
    /** The output is not needed any more. */
    discard: () => rm(join(folder, `${current}.jsonl`), { force: true }),
  };
}

/** Reads the lines of a growing file until `end`. */
function followFile(path: string, start: number, take: TakeLine, onStored: (offset: number) => void) {
  const wakeup = createWakeup();
  const watcher = watched(path, wakeup.wake);
  const pending: { end: number; isStored: boolean }[] = [];
  const drained = createWakeup();
  let offset = start;
  let isEnding = false;
  let isHeld = false;

  function settle(): void {
    let end: number | undefined;
    while (pending[0]?.isStored) end = pending.shift()?.end;
    if (end !== undefined) onStored(end);
    if (pending.length === 0) drained.wake();
  }

  const cutter = createLineCutter(
    (line) => {
      offset += line.length;
      const entry = { end: offset, isStored: false };
      pending.push(entry);
      take(line.toString('utf8'), () => {
        entry.isStored = true;
        settle();
      });
    },
    // Too long to be a message: skipped.
    {
      holdUpTo: MAX_LINE_BYTES,
      onPiece: (piece) => {
        offset += piece.length;
      },
    },
  );

  async function read(): Promise<void> {
    const file = await open(path, 'r');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let at = start;
    try {
      for (;;) {
        const wasEnding = isEnding;
        const { bytesRead } = isHeld && !wasEnding ? { bytesRead: 0 } : await file.read(chunk, 0, CHUNK_BYTES, at);
        at += bytesRead;
        if (bytesRead > 0) cutter.push(Buffer.from(chunk.subarray(0, bytesRead)));
        else if (wasEnding) return;
        else await wakeup.wait(POLL_MS);
      }
    } finally {
      watcher?.close();
      await file.close();
    }
  }

  const reading = read();
  reading.catch(() => {});
  return {
    /** Nothing more is written: resolves when all of it is read. */
    async end(): Promise<void> {
      isEnding = true;
      wakeup.wake();
      await reading;
    },
    /** Resolves when all that was read is stored; false if it is not by then. */
    async stored(limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
      const giveUpAt = performance.now() + limitMs;
      while (pending.length > 0 && performance.now() < giveUpAt) {
        await drained.wait(Math.min(POLL_MS, Math.max(giveUpAt - performance.now(), 1)));
      }
      return pending.length === 0;
    },
    hold(next: boolean): void {
      isHeld = next;
      wakeup.wake();
    },
    size: () => offset,
  };
}

function watched(path: string, onChange: () => void): { close(): void } | undefined {
  try {
    return watch(path, { persistent: false }, onChange).on('error', () => {});
  } catch {
    return undefined;
  }
}
