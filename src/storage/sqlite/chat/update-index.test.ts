import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { setMark } from './marks.ts';
import { createMessageStore } from './messages.ts';
import { areSignsIndexed } from './typed-text.ts';
import { updateIndex } from './update-index.ts';

/** As if an earlier version had stored `count` messages, whose index has neither signs nor ss for ß. */
async function olderStore(count: number) {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  const messages = createMessageStore(db, systemClock);
  const events = Array.from({ length: count }, (_, index) => ({
    kind: 'message' as const,
    message: {
      chat: { id: 'a', type: 'group' as const },
      id: String(index),
      sender: { id: 'ann', name: 'Ann' },
      text: index % 2 === 0 ? 'Straße C#' : 'c',
      at: 1_700_000_000_000 + index,
    },
  }));
  await messages.record({ source: 'irc', events, origin: 'import' });
  await db.write((tx) => {
    for (const { id } of tx.all<{ id: number }>('select id from messages')) {
      tx.run('delete from message_words where rowid = ?', id);
      tx.run("insert into message_words (rowid, words) values (?, '_o1 _c1 _s1 _m202311 _ttext straße c')", id);
    }
    setMark(tx, 'signs', 0);
  });
  const found = async (text: string, kind: 'words' | 'part') =>
    (await messages.find({ text: { kind, text } }, { limit: 1_000 })).messages.length;
  return { db, count: found };
}

test('messages of an earlier version are indexed again, and found as soon as new ones are', async () => {
  const { db, count } = await olderStore(450);
  assert.equal(await count('c#', 'part'), 225);
  assert.equal(await count('strasse', 'words'), 0);

  const indexed = await updateIndex(db);

  assert.equal(indexed, 450);
  assert.equal(await db.read(areSignsIndexed), true);
  assert.equal(await count('c#', 'part'), 225);
  assert.equal(await count('strasse', 'words'), 225);
  assert.equal(await count('rass', 'part'), 225);
  assert.equal(await updateIndex(db), 0);
  await db.close();
});

test('indexing continues after an interruption', async () => {
  const { db, count } = await olderStore(450);
  const controller = new AbortController();
  controller.abort();

  const first = await updateIndex(db, controller.signal);
  const areIndexed = await db.read(areSignsIndexed);
  const second = await updateIndex(db);

  assert.deepEqual([first, areIndexed, second], [200, false, 250]);
  assert.equal(await count('strasse', 'words'), 225);
  await db.close();
});

test('a new store has nothing to index again', async () => {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });

  assert.equal(await db.read(areSignsIndexed), true);
  await db.close();
});
