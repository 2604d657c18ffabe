import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { decodedArchive } from './decoded-archive.ts';
import { FileEntry } from './file-entry.ts';
import { openFolder } from './folder.ts';
import { createUnpackBudget } from './gunzip.ts';
import type { SkipReason } from './importer.ts';
import { fileProblem } from './problems.ts';
import { isZip, openZip } from './zip.ts';
import { withZips } from './zips-in-folder.ts';

/** An export: a file, a folder or a zip. It is never modified or unpacked. */
export interface ArchiveReader {
  /** Its path as given by the user. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'zip';
  /** All files in it, sorted by name; for a single file that file. */
  readonly entries: readonly ArchiveEntry[];
  /** What is in it and will not be read, or was not decoded: complete when everything was read. */
  readonly leftOut?: readonly LeftOut[];
  close(): Promise<void>;
}

export interface ArchiveEntry {
  /** Path within the archive, with slashes; for a single file its name. Untrusted. */
  readonly name: string;
  /** Size of its content in bytes; an estimate if it is packed or in another encoding. */
  readonly size: number;
  /** Opens a stream of its content, unpacked and with UTF-16 as UTF-8; may be called repeatedly. Fails with an AppError that names the file. */
  read(): AsyncIterable<Buffer>;
}

/** `where` is made by `whereIn`. */
export interface LeftOut {
  why: SkipReason;
  where: string;
}

const MAX_ENTRIES = 500_000;

/** Opens the export at an absolute path. */
export async function openArchive(path: string, limits: { unpackedBytes?: number } = {}): Promise<ArchiveReader> {
  const found = await stat(path).catch((cause: unknown) => {
    throw fileProblem(path, cause);
  });
  const budget = createUnpackBudget(limits);
  const zipLimits = { entries: MAX_ENTRIES, ...limits };
  if (found.isDirectory())
    return decodedArchive(await withZips(await openFolder(path, MAX_ENTRIES), zipLimits), budget);
  if (!found.isFile()) throw notAFile(path);
  if (found.size === 0) throw new AppError('INVALID_PARAMETER', `The file ${path} is empty.`, { field: 'path' });
  if (await isZip(path)) return decodedArchive(await openZip(path, zipLimits), budget);
  const entries = [new FileEntry(path, basename(path), found.size)];
  return decodedArchive({ path, kind: 'file', entries, leftOut: [], close: async () => {} }, budget);
}

function notAFile(path: string): AppError {
  return new AppError('INVALID_PARAMETER', `${path} is neither a file nor a folder.`, { field: 'path' });
}
