import { isUtf8 } from 'node:buffer';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { AppError } from '../../domain/errors.ts';
import type { ArchiveEntry, ArchiveReader } from './open-archive.ts';
import { fileProblem, readingFailed } from './problems.ts';

/** Text is compressed to about a tenth, media hardly at all; a far higher ratio of a large zip indicates a bomb. */
const HIGHEST_RATIO = 100;
const HARMLESS_BYTES = 64 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 16 * 1024 ** 3;
const MAX_NAME = 1_024;

export interface ZipLimits {
  entries: number;
  /** Given by the user: what all files together may unpack to, at any ratio. */
  unpackedBytes?: number;
}

export async function openZip(path: string, limits: ZipLimits): Promise<ArchiveReader> {
  const zip = await openPromise(path, { autoClose: false, decodeStrings: false }).catch((cause: unknown) => {
    throw isOfTheDisk(cause) ? fileProblem(path, cause) : damaged(path, cause);
  });
  try {
    const entries = (await entriesOf(zip, path, limits)).map((entry) => zipEntry(zip, entry, path));
    if (entries.length === 0) throw new AppError('INVALID_PARAMETER', `The zip ${path} is empty.`, { field: 'path' });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { path, kind: 'zip', entries, close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

interface NamedEntry {
  name: string;
  entry: Entry;
}

async function entriesOf(zip: ZipFile, path: string, limits: ZipLimits): Promise<NamedEntry[]> {
  const named: NamedEntry[] = [];
  const sum = { packed: 0, unpacked: 0 };
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      sum.packed += entry.compressedSize;
      sum.unpacked += entry.uncompressedSize;
      // Entries that overlap would unpack the same bytes again and again.
      if (zip.entriesRead > limits.entries || sum.packed > zip.fileSize) throw harmful(path);
      if (sum.unpacked > (limits.unpackedBytes ?? MAX_UNPACKED_BYTES)) throw harmful(path);
      if (isOrdinary(name)) named.push({ name, entry });
    }
    if (limits.unpackedBytes === undefined && isBomb(sum)) throw harmful(path);
  } catch (cause) {
    throw cause instanceof AppError ? cause : damaged(path, cause);
  }
  return named;
}

function zipEntry(zip: ZipFile, { name, entry }: NamedEntry, path: string): ArchiveEntry {
  return {
    name,
    size: entry.uncompressedSize,
    async *read() {
      if (entry.isEncrypted()) throw encrypted(path);
      if (!entry.canDecodeFileData()) throw unknownPacking(path);
      try {
        yield* await zip.openReadStreamPromise(entry);
      } catch (cause) {
        throw readingFailed(path, cause);
      }
    },
  };
}

/** Many programs write UTF-8 without the flag; other names are CP437, as the format specifies. */
function nameOf({ generalPurposeBitFlag: flags, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(
    isUtf8(fileNameRaw) ? flags | UTF8_FLAG : flags & ~UTF8_FLAG,
    fileNameRaw,
    extraFields,
    false,
  );
}

const UTF8_FLAG = 0x800;

/** A file whose name stays within the archive. Metadata files of macOS are not part of the export. */
function isOrdinary(name: string): boolean {
  if (name === '' || name.endsWith('/') || name.length > MAX_NAME) return false;
  if (name.startsWith('/') || /^[a-z]:/i.test(name) || name.includes('\0')) return false;
  return !name.split('/').some((part) => part === '..' || part === '__MACOSX');
}

function isBomb({ packed, unpacked }: { packed: number; unpacked: number }): boolean {
  return unpacked > HARMLESS_BYTES && unpacked > HIGHEST_RATIO * packed;
}

function isOfTheDisk(cause: unknown): boolean {
  return typeof (cause as NodeJS.ErrnoException).code === 'string';
}

function damaged(path: string, cause: unknown): AppError {
  return new AppError('INVALID_PARAMETER', `The zip ${path} is damaged or incomplete.`, {
    field: 'path',
    hint: 'Copy or download it again.',
    cause,
  });
}

function harmful(path: string): AppError {
  return new AppError('TOO_LARGE', `The zip ${path} would unpack to far more than an export holds.`, {
    field: 'path',
    hint: 'If you trust it, set --max-unpacked to what it may unpack to, in MB.',
  });
}

function encrypted(path: string): AppError {
  return new AppError('INVALID_PARAMETER', `The zip ${path} is encrypted.`, {
    field: 'path',
    hint: 'Unpack it with its password and give the folder.',
  });
}

function unknownPacking(path: string): AppError {
  return new AppError('INVALID_PARAMETER', `The zip ${path} is packed in a way that is not known here.`, {
    field: 'path',
    hint: 'Unpack it and give the folder.',
  });
}
