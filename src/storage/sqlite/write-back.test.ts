import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { createBackground } from './background.ts';
import { type Connection, connect } from './connection.ts';
import { createWriteBack } from './write-back.ts';

const DUE = 50;

describe('writing the log back', () => {
  test('waits until there is enough of it', async (t) => {
    const { connection, writeBack } = open(t);
    fill(connection, DUE / 5);
    const before = pagesIn(connection);

    await writeBack.ifDue(connection);

    assert.equal(pagesIn(connection), before);
  });

  test('begins the log anew, and everything is still there', async (t) => {
    const { connection, writeBack } = open(t);
    fill(connection, 2 * DUE);

    await writeBack.ifDue(connection);

    assert.ok(pagesIn(connection) < 5);
    assert.deepEqual({ ...connection.raw.prepare('select count(*) as count from notes').get() }, { count: 2 * DUE });
  });

  test('waits for no reader, and does it when that one is done', async (t) => {
    const { connection, writeBack, location } = open(t);
    const reader = connect(location, { busyTimeoutMs: 0, create: false });
    t.after(() => reader.close());
    reader.raw.exec('begin; select count(*) from notes');
    reader.raw.prepare('select count(*) from notes').get();
    fill(connection, 2 * DUE);

    await writeBack.ifDue(connection);
    const during = pagesIn(connection);
    reader.raw.exec('commit');
    await writeBack.ifDue(connection);

    assert.ok(during >= 2 * DUE, String(during));
    assert.ok(pagesIn(connection) < 5);
  });

  test('lets others write until it is nearly done, and then takes their turn', async (t) => {
    const steps: string[] = [];
    const { connection, background, location } = open(t);
    const writeBack = createWriteBack({
      location,
      background,
      pagesDue: DUE,
      async exclusively(job) {
        fill(connection, 10);
        steps.push('written meanwhile');
        const result = await job();
        steps.push('done');
        return result;
      },
    });
    fill(connection, 2 * DUE);

    await writeBack.ifDue(connection);

    assert.deepEqual(steps, ['written meanwhile', 'done']);
    assert.ok(pagesIn(connection) < 5);
  });

  test('can be stopped at any moment', async (t) => {
    const { connection, background, writeBack } = open(t);
    fill(connection, 2 * DUE);

    const running = writeBack.ifDue(connection);
    await background.stop();
    await running;
    await writeBack.ifDue(connection);

    assert.deepEqual({ ...connection.raw.prepare('select count(*) as count from notes').get() }, { count: 2 * DUE });
  });

  test('makes no new store in the place of one that has vanished', async (t) => {
    const { connection, writeBack, location } = open(t);
    fill(connection, 2 * DUE);
    for (const end of ['', '-wal', '-shm']) rmSync(`${location}${end}`);

    await writeBack.ifDue(connection);

    assert.equal(existsSync(location), false);
  });

  test('says nothing when the connection is gone: what was committed stays committed', async (t) => {
    const { writeBack, location } = open(t);
    const other = connect(location, { busyTimeoutMs: 0, create: false });
    other.close();

    await writeBack.ifDue(other);
  });
});

function open(t: TestContext) {
  const location = join(
    temporaryFolder((clean) => t.after(clean)),
    'store.db',
  );
  const connection = connect(location, { busyTimeoutMs: 1_000, create: true });
  const background = createBackground(location);
  const writeBack = createWriteBack({ location, background, exclusively: (job) => job(), pagesDue: DUE });
  t.after(async () => {
    await background.stop();
    connection.close();
  });
  connection.raw.exec('create table notes (text text not null) strict');
  return { connection, background, writeBack, location };
}

/** At least one page each. */
function fill(connection: Connection, rows: number): void {
  for (let row = 0; row < rows; row += 1) {
    connection.statement('insert into notes values (hex(randomblob(1500)))').run();
  }
}

function pagesIn(connection: Connection): number {
  return Number(connection.raw.prepare('pragma wal_checkpoint(noop)').get()?.log);
}
