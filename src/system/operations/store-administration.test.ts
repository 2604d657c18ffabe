import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { AppError } from '../../domain/errors.ts';
import type { StoreAdmin } from '../ports.ts';
import { backupStore } from './backup-store.ts';
import { checkStore } from './check-store.ts';
import { vacuumStore } from './vacuum-store.ts';

let home = '';

function withStore(store: Partial<StoreAdmin>) {
  const nothing = () => Promise.reject(new Error('not expected'));
  return contextWith({
    store: { report: nothing, backup: nothing, check: nothing, vacuum: nothing, ...store },
    home,
    clock: { now: () => Date.UTC(2026, 10, 15, 12, 30, 0, 7) },
  });
}

describe('administration of the store', () => {
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'sb-backup-'));
  });
  after(() => rm(home, { recursive: true }));

  test('a backup without a path is a file in the home that is named after the timestamp', async () => {
    const asked: unknown[] = [];
    const backup: StoreAdmin['backup'] = async (path, { replace }) => {
      asked.push(path, replace);
      return { path, bytes: 4096 };
    };

    const output = await backupStore.run(backupStore.input.parse({}), withStore({ backup }));

    assert.deepEqual(asked, [join(home, 'backups', 'switchboard-20261115T123000-007Z.db'), false]);
    assert.equal((await stat(join(home, 'backups'))).mode & 0o777, 0o700);
    assert.match(backupStore.render?.({ ...output }) ?? '', /switchboard-20261115T123000-007Z\.db \(4 KB\)/);
  });

  test('a folder for backups that cannot be created is reported in our text', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');

    const made = backupStore.run(backupStore.input.parse({}), { ...withStore({}), home: file });

    await assert.rejects(made, {
      code: 'SERVICE_UNAVAILABLE',
      message: `The folder ${file}/backups could not be made.`,
    });
  });

  test('a backup reports its progress to the caller', async () => {
    const told: unknown[] = [];
    const backup: StoreAdmin['backup'] = async (path, { progress }) => {
      progress?.(1, 2);
      return { path, bytes: 1 };
    };

    const context = { ...withStore({ backup }), progress: (...args: unknown[]) => told.push(args) };
    await backupStore.run(backupStore.input.parse({ path: '/tmp/copy.db', replace: true }), context);

    assert.deepEqual(told, [[1, 2]]);
  });

  test('a backup to a relative path is refused', () => {
    const parsed = backupStore.input.safeParse({ path: 'copy.db' });

    assert.equal(parsed.success, false);
  });

  test('an intact store is reported with its path', async () => {
    const store: Partial<StoreAdmin> = {
      check: async () => ({ ok: true, problems: [] }),
      report: async () => ({ kind: 'sqlite', location: '/h/switchboard.db', bytes: 1, schema: 3 }),
    };

    const output = await checkStore.run({}, withStore(store));

    assert.deepEqual(output, { ok: true, location: '/h/switchboard.db', schema: 3 });
    assert.equal(checkStore.render?.(output), 'The store /h/switchboard.db is sound (schema 3).');
  });

  test('a damaged store is an error that lists the problems, and counts those beyond twenty', async () => {
    const problems = Array.from({ length: 25 }, (_, index) => `Page ${index} is damaged.`);

    const checked = checkStore.run({}, withStore({ check: async () => ({ ok: false, problems }) }));

    await assert.rejects(checked, (error: unknown) => {
      assert(error instanceof AppError);
      assert.equal(error.code, 'SERVICE_UNAVAILABLE');
      assert.match(error.message, /Page 0 is damaged\. .*Page 19 is damaged\. And 5 more problems\.$/);
      return true;
    });
  });

  test('a vacuum reports the size before and after', async () => {
    const vacuum: StoreAdmin['vacuum'] = async () => ({ bytesBefore: 2048, bytesAfter: 1024 });

    const output = await vacuumStore.run({}, withStore({ vacuum }));

    assert.deepEqual(output, { bytes_before: 2048, bytes_after: 1024 });
    assert.equal(vacuumStore.render?.(output), 'The store took 2 KB and now takes 1 KB.');
  });
});
