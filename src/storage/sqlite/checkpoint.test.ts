import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { createBackground } from './background.ts';
import { createCheckpointer } from './checkpoint.ts';
import { connect, type SqliteConnection } from './connection.ts';

const DUE = 50;

describe('a checkpoint', () => {
  test('waits until the WAL is large enough', async (t) => {
    const { connection, checkpointer } = open(t);
    fill(connection, DUE / 5);
    const before = walPages(connection);

    await checkpointer.runIfDue(connection);

    assert.equal(walPages(connection), before);
  });

  test('truncates the WAL and loses nothing', async (t) => {
    const { connection, checkpointer } = open(t);
    fill(connection, 2 * DUE);

    await checkpointer.runIfDue(connection);

    assert.ok(walPages(connection) < 5);
    assert.deepEqual({ ...connection.raw.prepare('select count(*) as count from notes').get() }, { count: 2 * DUE });
  });

  test('is not blocked by a reader, and completes when the reader is done', async (t) => {
    const { connection, checkpointer, location } = open(t);
    const reader = connect(location, { busyTimeoutMs: 0, create: false });
    t.after(() => reader.close());
    reader.raw.exec('begin; select count(*) from notes');
    reader.raw.prepare('select count(*) from notes').get();
    fill(connection, 2 * DUE);

    await checkpointer.runIfDue(connection);
    const during = walPages(connection);
    reader.raw.exec('commit');
    await checkpointer.runIfDue(connection);

    assert.ok(during >= 2 * DUE, String(during));
    assert.ok(walPages(connection) < 5);
  });

  test('allows other writers until it is nearly complete, and then locks them out', async (t) => {
    const steps: string[] = [];
    const { connection, background, location } = open(t);
    const checkpointer = createCheckpointer({
      location,
      background,
      minPages: DUE,
      async exclusively(job) {
        fill(connection, 10);
        steps.push('written meanwhile');
        const result = await job();
        steps.push('done');
        return result;
      },
    });
    fill(connection, 2 * DUE);

    await checkpointer.runIfDue(connection);

    assert.deepEqual(steps, ['written meanwhile', 'done']);
    assert.ok(walPages(connection) < 5);
  });

  test('can be stopped at any time', async (t) => {
    const { connection, background, checkpointer } = open(t);
    fill(connection, 2 * DUE);

    const running = checkpointer.runIfDue(connection);
    await background.stop();
    await running;
    await checkpointer.runIfDue(connection);

    assert.deepEqual({ ...connection.raw.prepare('select count(*) as count from notes').get() }, { count: 2 * DUE });
  });

  test('creates no new store if the file was removed', async (t) => {
    const { connection, checkpointer, location } = open(t);
    fill(connection, 2 * DUE);
    for (const end of ['', '-wal', '-shm']) rmSync(`${location}${end}`);

    await checkpointer.runIfDue(connection);

    assert.equal(existsSync(location), false);
  });

  test('ignores a closed connection: committed data stays committed', async (t) => {
    const { checkpointer, location } = open(t);
    const other = connect(location, { busyTimeoutMs: 0, create: false });
    other.close();

    await checkpointer.runIfDue(other);
  });
});

function open(t: TestContext) {
  const location = join(
    temporaryFolder((clean) => t.after(clean)),
    'store.db',
  );
  const connection = connect(location, { busyTimeoutMs: 1_000, create: true });
  const background = createBackground(location);
  const checkpointer = createCheckpointer({ location, background, exclusively: (job) => job(), minPages: DUE });
  t.after(async () => {
    await background.stop();
    connection.close();
  });
  connection.raw.exec('create table notes (text text not null) strict');
  return { connection, background, checkpointer, location };
}

/** Each row takes at least one page. */
function fill(connection: SqliteConnection, rows: number): void {
  for (let row = 0; row < rows; row += 1) {
    connection.statement('insert into notes values (hex(randomblob(1500)))').run();
  }
}

function walPages(connection: SqliteConnection): number {
  return Number(connection.raw.prepare('pragma wal_checkpoint(noop)').get()?.log);
}
