import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { temporaryFolder } from '../../../../tests/support/temporary-folder.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { indexPairs, indexSomePairs } from './index-pairs.ts';
import { markOf } from './marks.ts';
import { createMessageStore } from './messages.ts';
import { createSearchIndex } from './search-index.ts';
import { toSearchScope } from './search-scope.ts';
import { updateIndex } from './update-index.ts';

function eventsOf(from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => ({
    kind: 'message' as const,
    message: {
      chat: { id: 'a' },
      id: String(from + index),
      sender: { id: 'ann', name: 'Ann' },
      text: index % 2 === 0 ? 'out of memory' : 'nothing',
      at: 1_700_000_000_000 + from + index,
    },
  }));
}

async function storeWith(location: string, count: number) {
  const db = await openDatabase({ location, clock: systemClock });
  const messages = createMessageStore(db, systemClock);
  const record = (from: number, to: number) =>
    messages.record({ source: 'irc', events: eventsOf(from, to), origin: 'import' });
  await record(0, count);
  const countOf = (sql: string) => db.read((reader) => reader.get<{ count: number }>(sql)?.count);
  return {
    db,
    messages,
    record,
    pending: () => countOf('select count(*) as count from message_pairs_pending'),
    indexed: () => countOf('select count(*) as count from message_pairs_docsize'),
    found: async (text: string) =>
      (await messages.find({ text: { kind: 'part', text } }, { limit: 500 })).messages.length,
  };
}

test('pairs of stored messages are indexed in the background, and found before and after that', async (t) => {
  const { db, pending, indexed, found } = await storeWith(join(temporaryFolder(t.after.bind(t)), 'store.db'), 700);
  t.after(() => db.close());
  assert.deepEqual([await pending(), await found('ut of mem')], [700, 350]);

  await updateIndex(db);

  assert.deepEqual([await pending(), await indexed(), await found('ut of mem')], [0, 700, 350]);
});

test('while a writer waits, one message is indexed at a time, and none is left out', async () => {
  const { db, pending, indexed, found } = await storeWith(MEMORY, 20);
  const indexOne = () => db.write((tx) => indexSomePairs(tx, () => true));

  const hasMore = await indexOne();
  const afterOne = [await pending(), await indexed()];
  while (await indexOne());

  assert.deepEqual([hasMore, afterOne], [true, [19, 1]]);
  assert.deepEqual([await pending(), await indexed(), await found('ut of mem')], [0, 20, 10]);
});

test('few messages are left for later', async () => {
  const { db, pending, found } = await storeWith(MEMORY, 100);

  await indexPairs(db);

  assert.deepEqual([await pending(), await found('ut of mem')], [100, 50]);
});

test('a phrase is searched by pairs only when most messages are in their index', async () => {
  const { db } = await storeWith(MEMORY, 2_500);
  const indexOf = async () =>
    (await db.read((reader) => toSearchScope(reader, { query: { kind: 'phrase', text: 'of paper' } }, { limit: 1 })))
      ?.index;
  const before = await indexOf();

  await indexPairs(db);

  assert.deepEqual([before, await indexOf()], [undefined, 'message_pairs']);
});

test('what was changed or deleted is found as it is now', async () => {
  const { db, messages, pending, indexed, found } = await storeWith(MEMORY, 600);
  await indexPairs(db);
  const change = { chat: 'a', sender: 'ann', at: 1_800_000_000_000 };
  const edit = { kind: 'edit', ...change, message: '0', text: 'out of paper' } as const;
  await messages.record({ source: 'irc', events: [edit, { kind: 'delete', ...change, message: '2' }], origin: 'live' });

  assert.deepEqual([await found('ut of mem'), await found('ut of pap')], [298, 1]);
  assert.deepEqual([await pending(), await indexed()], [2, 598]);
});

test('nothing is indexed while very many messages arrive', async () => {
  const { db, record, pending } = await storeWith(MEMORY, 600);
  const index = createSearchIndex(db);
  await index.update();
  await record(600, 3_000);

  await index.update();
  const whileBusy = await pending();
  await index.update();

  assert.deepEqual([whileBusy, await pending()], [2_400, 0]);
});

test('an index that has grown by a fourth is merged into one segment', async () => {
  const { db } = await storeWith(MEMORY, 6_000);
  const segments = () =>
    db.read(
      (reader) => reader.get<{ count: number }>('select count(distinct segid) as count from message_words_idx')?.count,
    );

  await updateIndex(db);

  assert.equal(await segments(), 1);
  assert.equal(await db.read((reader) => markOf(reader, 'merged')), 6_000);
});
