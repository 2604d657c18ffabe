import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../tests/support/store/open-store.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { systemClock } from '../../lib/clock.ts';
import { createBackground } from './background.ts';
import { createMessageStore } from './chat/messages.ts';
import type { Database } from './database.ts';
import { createWaitingWriters } from './waiting-writers.ts';

const MERGE = { kind: 'merge', index: 'message_words', pages: 100 } as const;

describe('the background thread', () => {
  test('merges segments, and reports when nothing is left', async (t) => {
    const { db, background } = await start(t);
    await addSegments(db, 6);

    const before = await segments(db);
    while (await background.run(MERGE));

    assert.ok(before >= 6);
    assert.ok((await segments(db)) < before);
    assert.equal((await found(db)).length, 6);
  });

  test('runs several tasks, each with its own reply', async (t) => {
    const { db, background } = await start(t);
    await addSegments(db, 6);

    const answers = await Promise.all([background.run(MERGE), background.run({ kind: 'checkpoint' })]);

    assert.deepEqual(answers, [true, false]);
  });

  test('stops when idle, and starts again', async (t) => {
    const { background } = await start(t, { idleMs: 1 });

    await background.run({ kind: 'checkpoint' });
    await sleep(50);

    assert.equal(await background.run({ kind: 'checkpoint' }), false);
  });

  test('ends a task early while a writer waits', async (t) => {
    const { db, background, writers } = await start(t);
    await addMessages(db, 3);

    writers.arrived();
    const hasMore = await background.run({ kind: 'index-pairs' });
    writers.left();
    const hasMoreThen = await background.run({ kind: 'index-pairs' });

    assert.deepEqual([hasMore, hasMoreThen], [true, false]);
  });

  test('reports a failure, and continues', async (t) => {
    const { db, background } = await start(t);
    await db.write((tx) => void tx.run('create table other (x)'));
    const wrong = { ...MERGE, index: 'other' as 'message_words' };

    await assert.rejects(background.run(wrong), /other/);

    assert.equal(await background.run({ kind: 'truncate-wal' }), false);
  });

  test('cannot start where there is no store, and creates none', async (t) => {
    const { background, location, db } = await start(t);
    await db.close();
    rmSync(location);

    await assert.rejects(background.run({ kind: 'checkpoint' }));
  });

  test('does not change a file that has replaced the store', async (t) => {
    const { db, background, location } = await start(t);
    await background.run({ kind: 'checkpoint' });
    await db.close();
    copyFileSync(location, `${location}.copy`);
    renameSync(`${location}.copy`, location);

    await assert.rejects(background.run({ kind: 'truncate-wal' }), /Another file/);

    await background.terminate();
    assert.equal(await background.run({ kind: 'truncate-wal' }), false);
  });

  test('refuses tasks after it was stopped', async (t) => {
    const { background } = await start(t);
    const running = background.run({ kind: 'checkpoint' });
    await background.stop();

    await assert.rejects(running);
    await assert.rejects(background.run({ kind: 'checkpoint' }), /closed/);
  });
});

async function start(t: TestContext, { idleMs = 5_000 } = {}) {
  const location = join(
    temporaryFolder((clean) => t.after(clean)),
    'store.db',
  );
  const db = await openDatabase({ location, clock: systemClock });
  const writers = createWaitingWriters();
  const background = createBackground(location, { writers, idleMs });
  t.after(async () => {
    await background.stop();
    await db.close();
  });
  return { location, db, background, writers };
}

function addMessages(db: Database, count: number) {
  const events = Array.from({ length: count }, (_, index) => ({
    kind: 'message' as const,
    message: {
      chat: { id: 'a' },
      id: String(index),
      sender: { id: 'ann', name: 'Ann' },
      text: 'hello there',
      at: 1_700_000_000_000 + index,
    },
  }));
  return createMessageStore(db, systemClock).record({ source: 'irc', events, origin: 'import' });
}

/** Each transaction creates one segment. */
async function addSegments(db: Database, count: number): Promise<void> {
  for (let id = 1; id <= count; id += 1) {
    await db.write(
      (tx) => void tx.run('insert into message_words (rowid, words) values (?, ?)', id, `hello word${id}`),
    );
  }
}

function segments(db: Database): Promise<number> {
  const sql = 'select count(distinct segid) as count from message_words_idx';
  return db.read((reader) => reader.get<{ count: number }>(sql)?.count ?? 0);
}

function found(db: Database): Promise<object[]> {
  return db.read((reader) => reader.all(`select rowid from message_words where message_words match 'hello'`));
}
