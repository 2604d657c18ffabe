import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { createMessageStore } from './messages.ts';
import { sendersAddressed, sendersNamed } from './sender-search.ts';
import { createSourceRepository } from './sources.ts';

async function storeWith(...senders: { id: string; name: string }[]) {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  const messages = createMessageStore(db, systemClock);
  let count = 0;
  const say = async (sender: { id: string; name: string }) => {
    count += 1;
    const message = { chat: { id: 'c' }, id: String(count), sender, text: 'hello', at: 1_700_000_000_000 + count };
    await messages.record({ source: 'x', events: [{ kind: 'message', message }], origin: 'live' });
  };
  for (const sender of senders) await say(sender);
  const ids = (keys: readonly number[]) =>
    db.read((reader) =>
      reader
        .all<{ id: string }>(
          'select id from senders where key in (select value from json_each(?)) order by id',
          JSON.stringify(keys),
        )
        .map(({ id }) => id),
    );
  return {
    db,
    say,
    named: async (text: string, sources?: number[]) =>
      ids(await db.read((reader) => sendersNamed(reader, text, sources))),
    addressed: async (text: string) => ids(await db.read((reader) => sendersAddressed(reader, text, undefined))),
  };
}

test('senders are found by a part of their names, however short, and by their ids', async () => {
  const { named } = await storeWith({ id: 'u1', name: 'Zoë "Zed" Müller' }, { id: 'u2', name: 'Bob' });

  assert.deepEqual(await named('zoe'), ['u1']);
  assert.deepEqual(await named('"zed"'), ['u1']);
  assert.deepEqual(await named('o'), ['u1', 'u2']);
  assert.deepEqual(await named('u2'), ['u2']);
  assert.deepEqual(await named('nobody'), []);
  assert.deepEqual(await named('bob', [99]), []);
});

test('senders are found by words of their addresses', async () => {
  const { addressed, named } = await storeWith({ id: 'Ada.L@example.test', name: 'Countess' });

  assert.deepEqual(await addressed('ada.l'), ['Ada.L@example.test']);
  assert.deepEqual(await addressed('example'), ['Ada.L@example.test']);
  assert.deepEqual(await addressed('xample'), []);
  assert.deepEqual(await named('example'), []);
});

test('a sender is found by a whole address, in the id or the name, and not by its first word alone', async () => {
  const { addressed } = await storeWith(
    { id: 'user5@host5.example.net', name: 'Five' },
    { id: 'user5@host50.example.net', name: 'Fifty' },
    { id: 'list@example.org', name: 'user5@host5.example.net via list' },
  );

  assert.deepEqual(await addressed('user5@host5.example.net'), ['list@example.org', 'user5@host5.example.net']);
});

test('a sender with another name is found by that one only', async () => {
  const { say, named } = await storeWith({ id: 'u1', name: 'Robert' });
  await say({ id: 'u1', name: 'Bobby' });

  assert.deepEqual(await named('robert'), []);
  assert.deepEqual(await named('bobby'), ['u1']);
});

test('nothing remains of the senders of a removed source', async () => {
  const { db, named } = await storeWith({ id: 'u1', name: 'Robert' });
  await createSourceRepository(db).remove('x');

  assert.deepEqual(await named('robert'), []);
  assert.equal(await db.read((reader) => reader.get('select 1 from sender_names_docsize')), undefined);
});
