import { createReadStream } from 'node:fs';
import { open, opendir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { fileProblem, readingFailed } from './problems.ts';
import { openZip } from './zip.ts';

/** An export: a file, a folder or a zip. It is never modified or unpacked. */
export interface ArchiveReader {
  /** Its path as given by the user. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'zip';
  /** All files in it, sorted by name; for a single file that file. */
  readonly entries: readonly ArchiveEntry[];
  close(): Promise<void>;
}

export interface ArchiveEntry {
  /** Path within the archive, with slashes; for a single file its name. Untrusted. */
  readonly name: string;
  /** Unpacked size in bytes. */
  readonly size: number;
  /** Opens a stream of its bytes; may be called repeatedly. Fails with an AppError that names the file. */
  read(): AsyncIterable<Buffer>;
}

const CHUNK_BYTES = 64 * 1024;
const MAX_ENTRIES = 500_000;
const DEEPEST_FOLDER = 32;
const ZIP_BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006', 'PK\u0007\u0008'];

/** Opens the export at an absolute path. */
export async function openArchive(path: string, limits: { unpackedBytes?: number } = {}): Promise<ArchiveReader> {
  const found = await stat(path).catch((cause: unknown) => {
    throw fileProblem(path, cause);
  });
  if (found.isDirectory()) return openFolder(path);
  if (!found.isFile()) throw notAFile(path);
  if (found.size === 0) throw new AppError('INVALID_PARAMETER', `The file ${path} is empty.`, { field: 'path' });
  if (await isZip(path)) return openZip(path, { entries: MAX_ENTRIES, ...limits });
  return { path, kind: 'file', entries: [fileEntry(path, basename(path), found.size)], close: async () => {} };
}

async function isZip(path: string): Promise<boolean> {
  try {
    await using file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return ZIP_BEGINNINGS.includes(buffer.toString('latin1'));
  } catch (cause) {
    throw fileProblem(path, cause);
  }
}

async function openFolder(path: string): Promise<ArchiveReader> {
  const entries: ArchiveEntry[] = [];
  await addFolder(path, '', 0, entries).catch((cause: unknown) => {
    throw cause instanceof AppError ? cause : fileProblem(path, cause);
  });
  if (entries.length === 0) {
    throw new AppError('INVALID_PARAMETER', `The folder ${path} holds no files.`, { field: 'path' });
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { path, kind: 'folder', entries, close: async () => {} };
}

/** Symbolic links are not followed: exports contain none, and they may lead anywhere. */
async function addFolder(folder: string, within: string, depth: number, entries: ArchiveEntry[]): Promise<void> {
  if (depth > DEEPEST_FOLDER) return;
  for await (const entry of await opendir(folder)) {
    const [path, name] = [join(folder, entry.name), within === '' ? entry.name : `${within}/${entry.name}`];
    if (entry.isDirectory()) await addFolder(path, name, depth + 1, entries);
    else if (entry.isFile()) entries.push(fileEntry(path, name, (await stat(path)).size));
    if (entries.length > MAX_ENTRIES) throw tooManyFiles(folder);
  }
}

function fileEntry(path: string, name: string, size: number): ArchiveEntry {
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
  };
}

function notAFile(path: string): AppError {
  return new AppError('INVALID_PARAMETER', `${path} is neither a file nor a folder.`, { field: 'path' });
}

function tooManyFiles(path: string): AppError {
  return new AppError('TOO_LARGE', `The folder ${path} holds more than ${MAX_ENTRIES} files.`, {
    field: 'path',
    hint: 'Give the folder that holds the export itself.',
  });
}
