import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { AppError } from '../../domain/errors.ts';
import type { StoredArchive, StoredEntry } from './decoded-archive.ts';
import { harmful, isBomb } from './gunzip.ts';
import { whereIn } from './importer.ts';
import type { LeftOut } from './open-archive.ts';
import { fileProblem, readingFailed } from './problems.ts';

const MAX_UNPACKED_BYTES = 16 * 1024 ** 3;
const MAX_NAME = 1_024;
const BEGINNINGS = ['PK\u0003\u0004', 'PK\u0005\u0006', 'PK\u0007\u0008'];

export interface ZipLimits {
  entries: number;
  /** Given by the user: what all files together may unpack to, at any ratio. */
  unpackedBytes?: number;
}

/** Whether a file begins like a zip. */
export async function isZip(path: string): Promise<boolean> {
  try {
    await using file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return BEGINNINGS.includes(buffer.toString('latin1'));
  } catch (cause) {
    throw fileProblem(path, cause);
  }
}

export async function openZip(path: string, limits: ZipLimits): Promise<StoredArchive> {
  const zip = await openPromise(path, { autoClose: false, decodeStrings: false }).catch((cause: unknown) => {
    throw isOfTheDisk(cause) ? fileProblem(path, cause) : damaged(path, cause);
  });
  try {
    const { named, leftOut } = await entriesOf(zip, path, limits);
    const entries = named.map((entry) => zipEntry(zip, entry, path));
    if (entries.length === 0) throw new AppError('INVALID_PARAMETER', `The zip ${path} is empty.`, { field: 'path' });
    return { path, kind: 'zip', entries, leftOut, close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

interface NamedEntry {
  name: string;
  entry: Entry;
}

async function entriesOf(
  zip: ZipFile,
  path: string,
  limits: ZipLimits,
): Promise<{ named: NamedEntry[]; leftOut: LeftOut[] }> {
  const named: NamedEntry[] = [];
  const leftOut: LeftOut[] = [];
  const sum = { packed: 0, unpacked: 0 };
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      sum.packed += entry.compressedSize;
      sum.unpacked += entry.uncompressedSize;
      // Entries that overlap would unpack the same bytes again and again.
      if (zip.entriesRead > limits.entries || sum.packed > zip.fileSize) throw harmful(`The zip ${path}`);
      if (sum.unpacked > (limits.unpackedBytes ?? MAX_UNPACKED_BYTES)) throw harmful(`The zip ${path}`);
      if (isLink(entry)) leftOut.push({ why: 'link', where: whereIn(name) });
      else if (isSafe(name)) named.push({ name, entry });
      else if (!isNoFile(name)) leftOut.push({ why: 'unsafe_name', where: whereIn(name) });
    }
    if (limits.unpackedBytes === undefined && isBomb(sum)) throw harmful(`The zip ${path}`);
  } catch (cause) {
    throw cause instanceof AppError ? cause : damaged(path, cause);
  }
  return { named, leftOut };
}

function zipEntry(zip: ZipFile, { name, entry }: NamedEntry, path: string): StoredEntry {
  return {
    name,
    size: entry.uncompressedSize,
    read: () => contentOf(zip, entry, path),
    tail: (bytes) => endOf(contentOf(zip, entry, path), bytes),
  };
}

async function* contentOf(zip: ZipFile, entry: Entry, path: string): AsyncGenerator<Buffer> {
  if (entry.isEncrypted()) throw encrypted(path);
  if (!entry.canDecodeFileData()) throw unknownPacking(path);
  try {
    yield* await zip.openReadStreamPromise(entry);
  } catch (cause) {
    throw readingFailed(path, cause);
  }
}

async function endOf(content: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  let end = Buffer.alloc(0);
  for await (const chunk of content) end = Buffer.concat([end, chunk]).subarray(-bytes);
  return end;
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

/** Folders, and metadata files of macOS, which are not part of the export. */
function isNoFile(name: string): boolean {
  return name === '' || name.endsWith('/') || name.split('/').includes('__MACOSX');
}

/** A file whose name stays within the archive. */
function isSafe(name: string): boolean {
  if (isNoFile(name) || name.length > MAX_NAME) return false;
  if (name.startsWith('/') || /^[a-z]:/i.test(name) || name.includes('\0')) return false;
  return !name.split('/').includes('..');
}

/** Written by programs of Unix: the upper half of the attributes is the mode. What it leads to is in the zip itself, or outside. */
function isLink({ versionMadeBy, externalFileAttributes }: Entry): boolean {
  const [madeBy, mode] = [versionMadeBy >>> 8, externalFileAttributes >>> 16];
  return [UNIX, MACOS].includes(madeBy) && (mode & 0xf000) === 0xa000;
}

const [UNIX, MACOS] = [3, 19];

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
