import { createGunzip } from 'node:zlib';
import { AppError } from '../../domain/errors.ts';
import { whereIn } from './importer.ts';
import { readingFailed } from './problems.ts';

/** Bytes are unpacked in pieces of this size: even a bomb then makes a few megabytes at a time. */
const PIECE_BYTES = 8 * 1024;
/** Text is compressed to about a tenth, media hardly at all; a far higher ratio of a large file indicates a bomb. */
const HIGHEST_RATIO = 100;
const HARMLESS_BYTES = 64 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 16 * 1024 ** 3;

export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}

/** Whether the sizes of a packed file or archive are those of a bomb. */
export function isBomb({ packed, unpacked }: { packed: number; unpacked: number }): boolean {
  return unpacked > HARMLESS_BYTES && unpacked > HIGHEST_RATIO * packed;
}

interface EntryBudget {
  name: string;
  /** Called with the bytes so far; throws when they are too many. */
  spend(sizes: { packed: number; unpacked: number }): void;
}

/** What all gzip files of one archive may unpack to. */
export interface UnpackBudget {
  forEntry(name: string): EntryBudget;
}

/** `unpackedBytes` is given by the user, and applies at any ratio. */
export function createUnpackBudget({ unpackedBytes }: { unpackedBytes?: number }): UnpackBudget {
  let spent = 0;
  /** By name: a file may be read more than once, and counts once. */
  const most = new Map<string, number>();
  return {
    forEntry(name) {
      return {
        name,
        spend(sizes) {
          const before = most.get(name) ?? 0;
          if (sizes.unpacked > before) {
            spent += sizes.unpacked - before;
            most.set(name, sizes.unpacked);
          }
          if (spent > (unpackedBytes ?? MAX_UNPACKED_BYTES)) throw harmful(`The file ${whereIn(name)}`);
          if (unpackedBytes === undefined && isBomb(sizes)) throw harmful(`The file ${whereIn(name)}`);
        },
      };
    },
  };
}

/** The content of a gzip stream, of all its members. What was unpacked before an error is not lost. */
export async function* gunzipped(packed: AsyncIterable<Buffer>, { name, spend }: EntryBudget): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const ready: Buffer[] = [];
  const sizes = { packed: 0, unpacked: 0 };
  let failure: unknown;
  gunzip.on('data', (data: Buffer) => {
    ready.push(data);
    sizes.unpacked += data.length;
  });
  gunzip.on('error', (error) => {
    failure ??= error;
  });
  // After an error the callback of a write is not called.
  let proceed = () => {};
  gunzip.on('close', () => proceed());
  try {
    for await (const chunk of packed) {
      for (let start = 0; start < chunk.length && failure === undefined; start += PIECE_BYTES) {
        const piece = chunk.subarray(start, start + PIECE_BYTES);
        sizes.packed += piece.length;
        await new Promise<void>((resolve) => {
          proceed = resolve;
          gunzip.write(piece, () => resolve());
        });
        yield* ready.splice(0);
        spend(sizes);
      }
      if (failure !== undefined) break;
    }
    if (failure === undefined) {
      await new Promise<void>((resolve) => {
        proceed = resolve;
        if (gunzip.closed) resolve();
        else gunzip.end();
      });
    }
    yield* ready.splice(0);
    if (failure !== undefined) throw readingFailed(whereIn(name), failure);
  } finally {
    gunzip.destroy();
  }
}

export function harmful(what: string): AppError {
  return new AppError('TOO_LARGE', `${what} would unpack to far more than an export holds.`, {
    field: 'path',
    hint: 'If you trust it, set --max-unpacked to what it may unpack to, in MB.',
  });
}
