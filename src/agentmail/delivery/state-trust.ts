import { closeSync, fstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { openRepositoryFile, readAt, renameWithin, statOf } from '../repository/repository-file.ts';
import { trackedMail } from '../repository/tracked-mail.ts';
import { originOf } from './state-origin.ts';

/** Delivery states of a month in a busy repository take a few megabytes. */
const MAX_BYTES = 256 * 1024 * 1024;
/** A database that was not created here is checked as a whole, which has to be quick. */
const MAX_FOREIGN_BYTES = 16 * 1024 * 1024;
/** Our database has no rollback journal, except for an instant when it is created. */
const JOURNAL_LASTS_MS = 5_000;
const SUFFIXES = ['', '-wal', '-shm', '-journal'];
const LOCKED = new Set(['', '-shm']);

const FILE_HEADER = 100;
const WAL_HEADER = 32;
const FRAME_HEADER = 24;
const FRAMES_AT_ONCE = 128;
const LEAF_TABLE = 13;
const MAX_SCHEMA_ROWS = 64;
const PAGE_SIZE = 4_096;
const PAGE_SIZE_AT = 16;
const RESERVED_AT = 20;
const VACUUM_AT = 52;
const ORIGIN_AT = 68;

/**
 * Why a database must not be opened, decided without SQLite; undefined if it may be opened, or does not exist yet.
 * `busy`: another process is creating it. If this process has the database open, its files with locks were checked
 * then and are not opened again.
 */
export function reasonNotToOpen(path: string, mailFolder: string, isOpen: boolean): string | 'busy' | undefined {
  const tracked = trackedMail(mailFolder);
  const present = SUFFIXES.filter((suffix) => statOf(`${path}${suffix}`) !== undefined);
  const isLarge = present.some((suffix) => (statOf(`${path}${suffix}`)?.size ?? 0) > MAX_FOREIGN_BYTES);
  if (isLarge && !isOpen) {
    const reason = reasonAgainstFile(path, mailFolder, (file) => reasonAgainstOrigin(file, path));
    if (reason !== undefined) return reason;
  }
  for (const suffix of present) {
    const file = `${path}${suffix}`;
    const isChecked = isOpen && LOCKED.has(suffix);
    const reason = isChecked ? undefined : reasonAgainstFile(file, mailFolder, CONTENT_CHECKS[suffix]);
    if (reason !== undefined) return reason;
    const state = tracked.stateOf(file);
    if (state === 'from-git') return 'tracked by git';
    if (state === 'unknown') throw new AppError('CONFLICT', `what git tracks in ${mailFolder} is unknown`);
  }
  if (!present.includes('-journal')) return undefined;
  // SQLite would apply it to the database, after this check.
  const journal = statOf(`${path}-journal`);
  const isNew = journal === undefined || Date.now() - journal.ctimeMs < JOURNAL_LASTS_MS;
  return isNew ? 'busy' : 'accompanied by a journal that is not ours';
}

/** Renames a database and its companions, which are kept for inspection. Returns the new name. */
export function moveAside(path: string, mailFolder: string, mark: string): string {
  const folder = dirname(path);
  const name = path.slice(folder.length + 1);
  const aside = `${name}.${mark}-${new Date().toISOString().replace(/[-:.]/g, '')}-${process.pid}`;
  for (const suffix of SUFFIXES) renameWithin(folder, `${name}${suffix}`, `${aside}${suffix}`, dirname(mailFolder));
  return join(folder, aside);
}

function reasonAgainstFile(path: string, mailFolder: string, check?: ContentCheck): string | undefined {
  let file: number | undefined;
  try {
    file = openRepositoryFile(path, { within: dirname(mailFolder), maxBytes: MAX_BYTES });
    return file === undefined ? undefined : check?.(file);
  } catch (error) {
    return /is (.+), which is not used for mail$/.exec((error as Error).message)?.[1] ?? 'unreadable';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

type ContentCheck = (file: number) => string | undefined;

/** As far as the file tells, without the write-ahead log. */
function reasonAgainstOrigin(file: number, path: string): string | undefined {
  const header = readAt(file, 0, FILE_HEADER);
  const isOurs = header.length === FILE_HEADER && header.readUInt32BE(ORIGIN_AT) === originOf(path);
  return isOurs ? undefined : `larger than ${MAX_FOREIGN_BYTES} bytes and not created here`;
}

/**
 * SQLite reads the whole schema before anything else. A crafted tree of pages would make that endless, so the schema
 * has to fit into one page, as ours does.
 */
function reasonAgainstPages(file: number): string | undefined {
  const header = readAt(file, 0, FILE_HEADER);
  if (header.length === 0) return undefined;
  if (!header.toString('latin1').startsWith('SQLite format 3\0')) return 'no database';
  if (header.length < FILE_HEADER) return 'no database';
  return isPlainSchemaPage(readAt(file, 0, PAGE_SIZE)) ? undefined : 'a database with a foreign schema';
}

/** Every first page in the write-ahead log, whether SQLite would use it or not. */
function reasonAgainstLog(file: number): string | undefined {
  const header = readAt(file, 0, WAL_HEADER);
  if (header.length < WAL_HEADER) return undefined;
  if (header.readUInt32BE(8) !== PAGE_SIZE) return 'accompanied by a foreign write-ahead log';
  const frameSize = FRAME_HEADER + PAGE_SIZE;
  const { size } = fstatSync(file);
  for (let at = WAL_HEADER; at < size; at += FRAMES_AT_ONCE * frameSize) {
    const frames = readAt(file, at, Math.min(FRAMES_AT_ONCE * frameSize, size - at));
    for (let start = 0; start + frameSize <= frames.length; start += frameSize) {
      const page = frames.subarray(start + FRAME_HEADER, start + frameSize);
      if (frames.readUInt32BE(start) === 1 && !isPlainSchemaPage(page)) return 'a database with a foreign schema';
    }
  }
  return undefined;
}

const CONTENT_CHECKS: Record<string, ContentCheck> = { '': reasonAgainstPages, '-wal': reasonAgainstLog };

/** https://www.sqlite.org/fileformat2.html#b_tree_pages: a leaf whose few rows continue on no other page. */
function isPlainSchemaPage(page: Buffer): boolean {
  if (page.length < PAGE_SIZE || page[FILE_HEADER] !== LEAF_TABLE) return false;
  // Smaller pages make trees too deep for SQLite's check of them; a vacuum at each commit moves pages.
  if (page.readUInt16BE(PAGE_SIZE_AT) !== PAGE_SIZE || page[RESERVED_AT] !== 0) return false;
  if (page.readUInt32BE(VACUUM_AT) !== 0) return false;
  const rows = page.readUInt16BE(FILE_HEADER + 3);
  if (rows > MAX_SCHEMA_ROWS) return false;
  for (let row = 0; row < rows; row++) {
    const at = page.readUInt16BE(FILE_HEADER + 8 + row * 2);
    // A number of up to two bytes of seven bits: longer rows are not ours.
    const [first = 0xff, second = 0xff] = page.subarray(at, at + 2);
    const length = first < 0x80 ? first : second < 0x80 ? (first & 0x7f) * 128 + second : page.length;
    if (at < FILE_HEADER || at + length > page.length || length > page.length / 4) return false;
  }
  return true;
}
