import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import type { InboundEvent } from '../../../domain/chat.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { createMessageStore } from './messages.ts';
import { sendersNamed } from './sender-search.ts';

test('a name that changes within the batch that adds its sender is found as it is at the end', async (context) => {
  const { record, named } = await opened(context);

  await record([['u1', 'Robert'], ['u2', 'Countess'], ['u1', 'Bobby'], ['u1', 'Bertie']]); // biome-ignore format: a list of pairs

  assert.equal((await named('robert')).length + (await named('bobby')).length, 0);
  assert.equal((await named('bertie')).length, 1);
  assert.equal((await named('countess')).length, 1);
});

test('a known name that changes twice in a batch is found as it is at the end', async (context) => {
  const { record, named } = await opened(context);
  await record([['u1', 'Robert']]);

  await record([['u1', 'Bobby'], ['u1', 'Robert'], ['u1', 'Bertie']]); // biome-ignore format: a list of pairs

  assert.equal((await named('robert')).length + (await named('bobby')).length, 0);
  assert.equal((await named('bertie')).length, 1);
});

test('the names of a batch are one segment of their index', async (context) => {
  const { db, record } = await opened(context);

  await record(Array.from({ length: 50 }, (_, index) => [`u${index}`, `name ${index}`]));

  const row = await db.read((reader) =>
    reader.get<{ segments: number }>('select count(distinct segid) as segments from sender_names_idx'),
  );
  assert.equal(row?.segments, 1);
});

async function opened(context: TestContext) {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  context.after(() => db.close());
  const messages = createMessageStore(db, systemClock);
  let count = 0;

  function said(id: string, name: string): InboundEvent {
    count += 1;
    const message = {
      chat: { id: `c${count}` },
      id: String(count),
      sender: { id, name },
      text: 'hello',
      at: 1_700_000_000_000 + count,
    };
    return { kind: 'message', message };
  }

  return {
    db,
    record: (senders: readonly (readonly [id: string, name: string])[]) =>
      messages.record({ source: 'x', events: senders.map(([id, name]) => said(id, name)), origin: 'newer' }),
    named: (text: string) => db.read((reader) => sendersNamed(reader, text, undefined)),
  };
}
