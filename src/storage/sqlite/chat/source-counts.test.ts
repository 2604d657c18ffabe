import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { MIGRATIONS, openDatabase } from '../../../../tests/support/store/open-store.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import type { Database } from '../database.ts';
import { migrate } from '../migrate.ts';
import { createMessageStore } from './messages.ts';
import { createSourceRepository } from './sources.ts';

test('a source counts the messages of its chats, however they come and go', async (context) => {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  context.after(() => db.close());
  const messages = createMessageStore(db, systemClock);
  const record = (source: string, chat: string, from: number, count: number) =>
    messages.record({
      source,
      origin: 'import',
      events: Array.from({ length: count }, (_, index) => ({
        kind: 'message',
        message: {
          chat: { id: chat },
          id: `${from + index}`,
          sender: { id: 'a', name: 'A' },
          text: 'x',
          at: from + index,
        },
      })),
    });

  await record('irc', '#one', 1_000, 5);
  await record('irc', '#two', 2_000, 3);
  await record('irc', '#two', 2_002, 3);
  await record('list', 'dev', 3_000, 4);
  const recorded = await counts(db);
  await messages.forgetBefore('irc', 2_001);
  const deleted = await counts(db);
  await createSourceRepository(db).remove('irc');

  assert.deepEqual(recorded, [
    { id: 'irc', messages: 10, summed: 10 },
    { id: 'list', messages: 4, summed: 4 },
  ]);
  assert.deepEqual(deleted, [
    { id: 'irc', messages: 4, summed: 4 },
    { id: 'list', messages: 4, summed: 4 },
  ]);
  assert.deepEqual(await counts(db), [{ id: 'list', messages: 4, summed: 4 }]);
});

test('the messages of a store from before are counted', () => {
  const db = new DatabaseSync(':memory:');
  const { chat = [], ...others } = MIGRATIONS.capabilities;
  migrate(db, { ...MIGRATIONS, capabilities: { ...others, chat: chat.slice(0, 1) } }, 0);
  db.exec(`
    insert into chat_sources (key, id) values (1, 'irc'), (2, 'empty');
    insert into chats (source, id, folded_name, type, last_at, messages)
    values (1, 'a', 'a', 'group', 1, 7), (1, 'b', 'b', 'group', 1, 2)`);

  migrate(db, MIGRATIONS, 0);

  const rows = db.prepare('select id, messages from chat_sources order by key').all();
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { id: 'irc', messages: 9 },
      { id: 'empty', messages: 0 },
    ],
  );
  db.close();
});

async function counts(db: Database) {
  const rows = await db.read((reader) =>
    reader.all<{ id: string; messages: number; summed: number }>(
      `select id, messages, (select coalesce(sum(c.messages), 0) from chats as c where c.source = s.key) as summed
       from chat_sources as s order by id`,
    ),
  );
  return rows.map((row) => ({ ...row }));
}
