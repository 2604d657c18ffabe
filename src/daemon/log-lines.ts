import { type FSWatcher, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { createWakeup } from '../lib/wakeup.ts';

export interface Lines {
  path: string;
  lines: readonly string[];
  /** The position at which to continue. */
  position: number;
}

/** Bytes per read: enough for the maximum number of lines. */
const LARGEST_READ = 4 * 1024 * 1024;
/** Not every file system notifies of changes. */
const LOOK_MS = 1_000;
const NEWLINE = 0x0a;

/** The last lines of a file; none where there is no file. */
export async function lastLines(path: string, count: number): Promise<Lines> {
  const { lines, position } = await linesFrom(path, (size) => Math.max(0, size - LARGEST_READ));
  return { path, lines: lines.slice(-count), position };
}

/** The lines after a position in the file. */
export async function linesAfter(path: string, after: number): Promise<Lines> {
  // A file that is shorter than before is a new one: the former was renamed.
  return linesFrom(path, (size) => (after > size ? 0 : after));
}

/** The lines after a position, and then what is appended, as it is written. */
export async function* followLines(path: string, after: number, signal: AbortSignal): AsyncGenerator<Lines> {
  const wakeup = createWakeup();
  signal.addEventListener('abort', wakeup.wake);
  let watcher: FSWatcher | undefined;
  try {
    for (let position = after; !signal.aborted; ) {
      watcher ??= watchFolder(dirname(path), wakeup.wake);
      const next = await linesAfter(path, position);
      const isNew = next.position !== position;
      position = next.position;
      if (next.lines.length > 0) yield next;
      if (!isNew) await wakeup.wait(LOOK_MS);
    }
  } finally {
    signal.removeEventListener('abort', wakeup.wake);
    watcher?.close();
  }
}

async function linesFrom(path: string, startOf: (size: number) => number): Promise<Lines> {
  const { bytes, from } = await read(path, startOf);
  const lastNewline = bytes.lastIndexOf(NEWLINE) + 1;
  const end = lastNewline === 0 && bytes.length === LARGEST_READ ? bytes.length : lastNewline;
  const text = bytes.toString('utf8', 0, end).replace(/\n$/, '');
  return { path, lines: end === 0 ? [] : text.split('\n'), position: from + end };
}

async function read(path: string, startOf: (size: number) => number): Promise<{ bytes: Buffer; from: number }> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const from = startOf(size);
    const buffer = Buffer.alloc(Math.min(size - from, LARGEST_READ));
    const { bytesRead } = await file.read({ buffer, position: from });
    return { bytes: buffer.subarray(0, bytesRead), from };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { bytes: Buffer.alloc(0), from: 0 };
    const reason = code === 'EACCES' ? 'the permission to read it is missing' : 'the file system refused it';
    throw new AppError('SERVICE_UNAVAILABLE', `${path} cannot be read: ${reason}.`, { cause: error });
  }
}

/** Watches the folder, because the file may be renamed and recreated. Undefined if it cannot be watched. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(folder, onChange).on('error', () => {});
  } catch {
    return undefined;
  }
}
