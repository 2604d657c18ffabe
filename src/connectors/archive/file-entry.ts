import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredEntry } from './decoded-archive.ts';
import { readingFailed } from './problems.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * A file on the disk as an entry of an archive. There may be very many: functions of its own would take several times the memory.
 *
 * It is read synchronously: an import has a thread of its own, and a stream for each of many small files would take several times as
 * long.
 */
export class FileEntry implements StoredEntry {
  readonly name: string;
  readonly size: number;
  readonly #path: string;

  constructor(path: string, name: string, size: number) {
    this.name = name;
    this.size = size;
    this.#path = path;
  }

  async *read(): AsyncGenerator<Buffer> {
    for (const chunk of chunksOf(this.#path, this.size)) {
      yield chunk;
      // V8 collects garbage between turns: without one, a large file would need 20 MB more.
      await nextTurn();
    }
  }

  async tail(bytes: number): Promise<Buffer> {
    return Buffer.concat([...chunksOf(this.#path, bytes, Math.max(0, this.size - bytes))]).subarray(0, bytes);
  }
}

/** Its bytes from `start`, of which about `length` are expected. */
function* chunksOf(path: string, length: number, start = 0): Generator<Buffer> {
  // A small file needs little memory, and its end is found without reading again.
  const chunkBytes = Math.min(CHUNK_BYTES, length + 1);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    for (let at = start, isEnd = false; !isEnd; ) {
      const chunk = Buffer.allocUnsafeSlow(chunkBytes);
      const count = readSync(file, chunk, 0, chunkBytes, at);
      at += count;
      // Some file systems give less than was asked for.
      isEnd = count === 0 || (count < chunkBytes && at >= start + length);
      if (count > 0) yield chunk.subarray(0, count);
    }
  } catch (cause) {
    throw readingFailed(path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
