import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../domain/errors.ts';
import type { MigrationPlan } from './definition.ts';
import { type Inspection, inspectStore } from './inspect.ts';
import { JOBS, type Progress } from './sqlite/jobs.ts';
import { toStoreError } from './sqlite/store-error.ts';

const ANOTHER_COPY = 'Take another copy, or the version of Switchboard that made it. The store was left as it is.';
const BESIDE = ['-wal', '-shm', '-journal'];

export interface Restoration {
  /** The backup to restore. */
  from: string;
  location: string;
  /** Where the previous store is moved to. */
  keepAs: string;
  /** Migrations of this program; a backup with more is refused. */
  migrations: MigrationPlan;
  progress?: Progress;
}

/**
 * Replaces the store by a backup, atomically. The caller must be the only user of the store. The previous store is
 * kept, even if it is damaged.
 */
export async function restoreStore(
  restoration: Restoration,
): Promise<{ schema: number; bytes: number; kept?: string }> {
  const { from, location, progress = () => {} } = restoration;
  const { schema } = await soundCopy(restoration);
  const partial = `${location}.restoring`;
  try {
    await rm(partial, { force: true });
    await copyStore(from, partial, location, progress);
    const kept = await keepOld(restoration);
    await rename(partial, location);
    await syncFolder(dirname(location));
    return { schema, bytes: (await stat(location)).size, ...(kept === undefined ? {} : { kept }) };
  } catch (error) {
    throw toStoreError(error, location);
  } finally {
    for (const rest of ['', ...BESIDE]) await rm(partial + rest, { force: true });
  }
}

async function soundCopy({ from, location, migrations }: Restoration): Promise<Inspection> {
  if (await isSameFile(from, location)) {
    throw new AppError('VALIDATION_ERROR', 'The store cannot be restored from itself.', { field: 'path' });
  }
  const copy = (await isFile(from)) ? inspectCopy(from, migrations) : undefined;
  if (!copy) throw new AppError('NOT_FOUND', 'There is no such file.', { field: 'path' });
  // An empty file is a valid database without tables, but not a backup.
  if (copy.schema > 0 && copy.problems.length === 0) return copy;
  const problem = copy.problems[0] === undefined ? '' : ` ${copy.problems[0]}`;
  throw new AppError('CONFLICT', `This copy is damaged, empty or changed; the store was left as it is.${problem}`, {
    field: 'path',
    hint: 'Take another copy.',
  });
}

/** The hints of these errors are about the store in use: here they would say to move away the file that was named. */
function inspectCopy(from: string, migrations: MigrationPlan): Inspection | undefined {
  try {
    return inspectStore(from, migrations);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, cause } = error;
    throw new AppError(code, message, { field: 'path', hint: ANOTHER_COPY, cause });
  }
}

/** Copied by SQLite, so that changes in a WAL beside the backup are included. */
async function copyStore(from: string, to: string, target: string, progress: Progress): Promise<void> {
  await (await open(to, 'wx', 0o600)).close();
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    await JOBS.backup(source, { to, target }, progress);
  } finally {
    source.close();
  }
  const file = await open(to, 'r');
  await file.sync().finally(() => file.close());
}

async function keepOld({ location, keepAs, migrations }: Restoration): Promise<string | undefined> {
  if (!existsSync(location)) return undefined;
  await mkdir(dirname(keepAs), { recursive: true, mode: 0o700 });
  for (const rest of ['', ...BESIDE]) {
    if (existsSync(location + rest)) await copyFile(location + rest, keepAs + rest, constants.COPYFILE_FICLONE);
  }
  // Each as a single file if possible; a damaged store is kept together with its WAL.
  if (isSound(keepAs, migrations)) for (const path of [keepAs, location]) settle(path);
  // A remaining WAL would be applied to the new file.
  for (const rest of BESIDE) await rm(location + rest, { force: true });
  return keepAs;
}

function isSound(location: string, migrations: MigrationPlan): boolean {
  try {
    return inspectStore(location, migrations)?.problems.length === 0;
  } catch {
    return false;
  }
}

/** Checkpoints the WAL into the file. */
function settle(location: string): void {
  const db = new DatabaseSync(location);
  try {
    db.exec('pragma wal_checkpoint(truncate)');
  } finally {
    db.close();
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
