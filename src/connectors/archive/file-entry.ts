import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { StoredEntry } from './decoded-archive.ts';
import { readingFailed } from './problems.ts';

const CHUNK_BYTES = 64 * 1024;

/** A file on the disk as an entry of an archive. */
export function fileEntry(path: string, name: string, size: number): StoredEntry {
  return {
    name,
    size,
    async *read() {
      try {
        yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
      } catch (cause) {
        throw readingFailed(path, cause);
      }
    },
    async tail(bytes) {
      await using file = await open(path);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, Math.max(0, size - bytes));
      return buffer.subarray(0, bytesRead);
    },
  };
}
