import assert from 'node:assert/strict';
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { openDatabase } from './database.ts';

const migrations = {
  shared: [{ number: 1, name: 'notes', sql: 'create table notes (text text not null) strict;' }],
  capabilities: {},
};

describe('the database', () => {
  test('rolls back a transaction whose body throws, and rethrows the error', async (t) => {
    const { db } = await start(t);
    const refusal = new AppError('CONFLICT', 'no');

    await assert.rejects(
      db.write((tx) => {
        tx.run('insert into notes values (?)', 'lost');
        throw refusal;
      }),
      refusal,
    );

    assert.deepEqual(await notes(db), []);
  });

  test('runs writes in the order of the calls', async (t) => {
    const { db, add } = await start(t);

    await Promise.all(['a', 'b', 'c', 'd'].map(add));

    assert.deepEqual(await notes(db), ['a', 'b', 'c', 'd']);
  });

  test('syncs to disk, except for data that can be fetched again', async (t) => {
    const { db, add } = await start(t);
    const level = () => db.connection().prepare('pragma synchronous').get()?.synchronous;
    const FULL = 2;
    const NORMAL = 1;

    await add('sent');
    const first = level();
    await db.write((tx) => void tx.run('insert into notes values (?)', 'history'), { durable: false });
    const second = level();
    await add('sent again');

    assert.deepEqual([first, second, level()], [FULL, NORMAL, FULL]);
    assert.deepEqual(await notes(db), ['sent', 'history', 'sent again']);
  });

  test('delays writes while a job has exclusive access, but not reads', async (t) => {
    const { db, add } = await start(t);
    const job = Promise.withResolvers<void>();

    const exclusive = db.exclusively(() => job.promise);
    const write = add('later');
    const during = await notes(db);
    job.resolve();
    await Promise.all([exclusive, write]);

    assert.deepEqual([during, await notes(db)], [[], ['later']]);
  });

  test('keeps writes after its file was replaced, though the background thread had the old one open', async (t) => {
    const { db, add, path: location } = await start(t);
    await add('before');
    await db.inBackground({ kind: 'checkpoint' });
    await db.inBackground({ kind: 'truncate-wal' });
    copyFileSync(location, `${location}.copy`);
    renameSync(`${location}.copy`, location);

    for (let number = 0; number < 20; number += 1) await add(`after ${number}`);
    await db.inBackground({ kind: 'checkpoint' });
    await db.inBackground({ kind: 'truncate-wal' });
    await db.close();

    const again = new DatabaseSync(location);
    t.after(() => again.close());
    assert.equal(again.prepare('select count(*) as count from notes').get()?.count, 21);
    assert.equal(again.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
  });

  test('delays a task of the thread while another process writes', async (t) => {
    const { db, path: location } = await start(t);
    const other = lockedBy(location, t);

    setTimeout(() => other.exec('commit'), 300);
    const answer = await db.inBackground({ kind: 'truncate-wal' });

    assert.equal(answer, false);
  });

  test('reports a task of the thread that waited too long', async (t) => {
    const { db, path: location } = await start(t, { busyRetryMs: 200 });
    const other = lockedBy(location, t);

    const impatient = db.inBackground({ kind: 'truncate-wal' });

    await assert.rejects(impatient, { code: 'SERVICE_UNAVAILABLE' });
    other.exec('commit');
  });

  test('is quiet only when work that has priority is done', async (t) => {
    const { db } = await start(t);
    const order: string[] = [];
    const work = Promise.withResolvers<string>();

    const prioritized = db.prioritize(() => work.promise).then((result) => order.push(result));
    const quiet = db.whenQuiet().then(() => order.push('quiet'));
    setTimeout(() => work.resolve('work'), 300);
    await Promise.all([prioritized, quiet]);

    assert.deepEqual(order, ['work', 'quiet']);
  });

  test('yields to the event loop while calls follow each other without a pause', async (t) => {
    const { add } = await start(t);
    let elsewhere = false;
    setImmediate(() => {
      elsewhere = true;
    });

    while (!elsewhere) await add('again');

    assert.ok(elsewhere);
  });

  test('waits for another process that is writing, without blocking this one', async (t) => {
    const { path, db, add } = await start(t);
    const other = lockedBy(path, t);

    const write = add('patient');
    other.exec('rollback');
    await write;

    assert.deepEqual(await notes(db), ['patient']);
  });

  test('fails if another process never releases the lock, and works once it has', async (t) => {
    const { path, db, add } = await start(t, { busyRetryMs: 0 });
    const other = lockedBy(path, t);

    await assert.rejects(add('x'), failure('SERVICE_UNAVAILABLE', /holds a lock/));
    other.exec('rollback');
    await add('y');

    assert.deepEqual(await notes(db), ['y']);
  });

  test('refuses a file that is no database, and opens once it is moved', async (t) => {
    const path = join(
      temporaryFolder((clean) => t.after(clean)),
      'store.db',
    );
    writeFileSync(path, 'Dear diary, '.repeat(1_000));

    await assert.rejects(open(path), failure('CONFLICT', /not a store of Switchboard/));
    rmSync(path);
    const db = await open(path);

    assert.deepEqual(await notes(db), []);
    await db.close();
  });

  test('names a folder that cannot be opened', async (t) => {
    const folder = temporaryFolder((clean) => t.after(clean));
    writeFileSync(join(folder, 'file'), '');

    await assert.rejects(open(join(folder, 'file', 'store.db')), failure('SERVICE_UNAVAILABLE', /cannot be opened/));
  });

  test('acknowledges no write while its file is missing, and continues when it is restored', async (t) => {
    const { path, db, add } = await start(t);
    await add('before');

    renameSync(path, `${path}.away`);
    await assert.rejects(add('lost'), failure('SERVICE_UNAVAILABLE', /cannot be opened/));
    const recreated = existsSync(path);
    renameSync(`${path}.away`, path);
    await add('after');

    assert.equal(recreated, false);
    assert.deepEqual(await notes(db), ['before', 'after']);
  });

  test('does not report a bug as a disk failure', async (t) => {
    const { db } = await start(t);

    await assert.rejects(
      db.write((tx) => tx.run('insert into notes values (null)')),
      (error) => error instanceof Error && !(error instanceof AppError),
    );
  });
});

function open(location: string, options: { busyRetryMs?: number } = {}) {
  return openDatabase({ location, clock: systemClock, migrations, ...options });
}

async function start(t: TestContext, options: { busyRetryMs?: number } = {}) {
  const path = join(
    temporaryFolder((clean) => t.after(clean)),
    'store.db',
  );
  const db = await open(path, options);
  t.after(() => db.close());
  return { path, db, add: (text: string) => db.write((tx) => tx.run('insert into notes values (?)', text)) };
}

async function notes(db: Awaited<ReturnType<typeof open>>): Promise<string[]> {
  const rows = await db.read((reader) => reader.all<{ text: string }>('select text from notes order by rowid'));
  return rows.map(({ text }) => text);
}

function lockedBy(path: string, t: TestContext): DatabaseSync {
  const other = new DatabaseSync(path);
  t.after(() => other.close());
  other.exec('begin immediate');
  return other;
}

function failure(code: ErrorCode, message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code && message.test(error.message) && !!error.hint;
}
