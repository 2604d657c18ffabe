import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../domain/errors.ts';
import type { CheckReport, StoreAdmin } from '../../system/ports.ts';
import { MEMORY } from './connection.ts';
import type { Database } from './database.ts';
import type { JobRunner } from './job-runner.ts';
import type { JobInput, JobName, JobOutput, Progress } from './jobs.ts';
import { schemaNumber } from './migrate.ts';
import { toStoreError } from './store-error.ts';

export function createStoreAdmin(db: Database, runner: JobRunner): StoreAdmin {
  const run = db.location === MEMORY ? inThisThread(db) : runner.run;
  /** It changes only with the connection: migrations are applied when one is opened. */
  let known: { connection: DatabaseSync; schema: number } | undefined;

  function schema(): number {
    const connection = db.connection();
    if (known?.connection !== connection) known = { connection, schema: schemaNumber(connection) };
    return known.schema;
  }

  return {
    async report() {
      return { kind: 'sqlite', location: db.location, bytes: await bytesOf(db), schema: await db.read(schema) };
    },

    async backup(path, { replace, progress }) {
      const target = resolve(path);
      await assertUsable(target, db.location, replace);
      const partial = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.partial`);
      try {
        await createEmpty(partial);
        await run('backup', { to: partial, target }, progress);
        await rename(partial, target);
        await syncFolder(dirname(target));
      } catch (error) {
        throw toStoreError(error, target);
      } finally {
        for (const rest of ['', '-journal', '-wal', '-shm']) await rm(partial + rest, { force: true });
      }
      return { path: target, bytes: (await stat(target)).size };
    },

    async check() {
      try {
        return await run('check', { migrations: db.migrations });
      } catch (error) {
        return asFinding(error);
      }
    },

    async vacuum() {
      const bytesBefore = await bytesOf(db);
      await db.exclusively(() => run('vacuum', undefined));
      return { bytesBefore, bytesAfter: await bytesOf(db) };
    },
  };
}

/** An in-memory store is visible to one connection only, and is small. */
function inThisThread(db: Database): JobRunner['run'] {
  return async <Name extends JobName>(name: Name, input: JobInput<Name>, progress: Progress = () => {}) => {
    const { JOBS } = await import('./jobs.ts');
    const job = JOBS[name] as (...args: unknown[]) => Promise<JobOutput<Name>>;
    return job(db.connection(), input, progress);
  };
}

/** A file too damaged to be checked is reported as a problem of the store, not as a failure of the check. */
function asFinding(error: unknown): CheckReport {
  if (error instanceof AppError && error.code === 'CONFLICT') return { ok: false, problems: [error.message] };
  throw error;
}

async function bytesOf(db: Database): Promise<number> {
  if (db.location === MEMORY) {
    const pages = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size';
    return db.read((reader) => reader.get<{ bytes: number }>(pages)?.bytes ?? 0);
  }
  return sizeOf(db.location) + sizeOf(`${db.location}-wal`);
}

/** The file is open, so that this does not wait for the disk. Handing it to a thread would take longer. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function assertUsable(target: string, location: string, replace: boolean): Promise<void> {
  if (target === location) {
    throw new AppError('VALIDATION_ERROR', 'The backup path is the store itself.', { field: 'path' });
  }
  if (!existsSync(dirname(target))) {
    throw new AppError('VALIDATION_ERROR', 'The folder for the backup does not exist.', { field: 'path' });
  }
  if (!existsSync(target)) return;
  if ((await stat(target)).isDirectory()) {
    throw new AppError('VALIDATION_ERROR', 'The path is a folder; a backup needs a file name.', { field: 'path' });
  }
  if (!replace) {
    throw new AppError('CONFLICT', 'The file already exists.', {
      field: 'path',
      hint: 'Choose another name, or use --replace.',
    });
  }
}

/**
 * The backup holds everything the store holds, so other users must not be able to read it, not even while it is
 * written.
 */
async function createEmpty(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close();
}

/** Makes the rename durable before the backup is reported as done. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
