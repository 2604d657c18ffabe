import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { openStore } from '../../tests/support/store/open-store.ts';
import { AppError } from '../domain/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { workerUrl } from './sqlite/job-runner.ts';

describe('the address of the store', () => {
  test('of PostgreSQL is refused, without showing its password', async () => {
    await assert.rejects(openAt('postgres://ada:hunter2@db.example/sb'), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.field, 'store.url');
      assert.match(error.message, /PostgreSQL is not supported yet/);
      assert.doesNotMatch(JSON.stringify(error), /hunter2|ada|db\.example/);
      return true;
    });
  });

  test('of an unknown kind is refused, without showing it', async () => {
    for (const url of ['mysql://root:hunter2@host', 'hunter2:x', '']) {
      await assert.rejects(
        openAt(url),
        (error) =>
          error instanceof AppError && error.code === 'VALIDATION_ERROR' && !/hunter2/.test(JSON.stringify(error)),
      );
    }
  });
});

test('the worker is beside the source, and by its own name beside the bundle', () => {
  assert.equal(
    workerUrl('file:///app/src/storage/sqlite/job-runner.ts').href,
    'file:///app/src/storage/sqlite/worker.ts',
  );
  assert.equal(workerUrl('file:///app/dist/chunk-AB12.js').href, 'file:///app/dist/store-worker.js');
});

function openAt(url: string) {
  return openStore({ url, home: '/nowhere', clock: systemClock, log: silentLog });
}
