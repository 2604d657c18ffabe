import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import type { InboundEvent, InboundMessage } from '../../../domain/chat.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import type { Database } from '../database.ts';
import { createArchiveStore } from './archive-store.ts';
import { tokenizeMessage } from './index-row.ts';
import { segmentCount } from './merge-segments.ts';
import { createMessageStore } from './messages.ts';
import { createEventSplitter } from './split-texts.ts';

const START = Date.UTC(2026, 0, 1);

describe('recording an archive again', () => {
  test('runs no statement per message that is stored already', async (context) => {
    const { archives, statements } = await opened(context);
    const events = Array.from({ length: 300 }, (_, index) => said(index));
    await archives.record('irc', events);
    const first = statements();

    const again = await archives.record('irc', events);

    assert.partialDeepStrictEqual(again, { added: 0, changed: 0, known: 300 });
    assert.ok(first > 600, String(first));
    assert.equal(statements() - first, 0);
  });

  test('adds what is new among known messages of several chats, once', async (context) => {
    const { archives, messages } = await opened(context);
    const inChats = (count: number) =>
      Array.from({ length: count }, (_, index) => said(index, { chat: { id: `c${index % 7}` } }));
    await archives.record('irc', inChats(40));

    const later = await archives.record('irc', [...inChats(60), said(59, { chat: { id: 'c3' } })]);

    assert.partialDeepStrictEqual(later, { added: 20, changed: 0, known: 41 });
    assert.equal(new Set(later.chats).size, 7);
    assert.equal((await messages.extent('irc')).count, 60);
  });

  test('adds again what the store has lost', async (context) => {
    const { archives, messages } = await opened(context);
    const events = Array.from({ length: 30 }, (_, index) => said(index));
    await archives.record('irc', events);
    await messages.forgetBefore('irc', START + 10_000);

    const again = await archives.record('irc', events);

    assert.partialDeepStrictEqual(again, { added: 10, changed: 0, known: 20 });
    const { messages: found } = await messages.find({ text: { kind: 'words', text: 'word3' } }, { limit: 5 });
    assert.deepEqual(
      found.map(({ externalId }) => externalId),
      ['m3'],
    );
  });

  test('takes over edits and new names of known messages', async (context) => {
    const { archives, messages } = await opened(context);
    await archives.record('irc', [said(1), said(2)]);

    const again = await archives.record('irc', [
      said(1, { text: 'corrected', editedAt: START + 90_000 }),
      said(2, { sender: { id: 'ada', name: 'Ada L.' } }),
    ]);

    assert.partialDeepStrictEqual(again, { added: 0, changed: 1, known: 1 });
    const { messages: found } = await messages.find({ text: { kind: 'words', text: 'corrected' } }, { limit: 5 });
    assert.deepEqual(
      found.map(({ sender }) => sender.name),
      ['Ada L.'],
    );
  });
});

test('the index of an archive is merged when it is finished', async (context) => {
  const { archives, db } = await opened(context);
  for (let index = 0; index < 40; index += 1) await archives.record('irc', [said(index)]);
  const before = await segments(db);

  await archives.finish();

  assert.ok(before >= 40, String(before));
  assert.ok((await segments(db)) < 10);
});

test('an archive is merged before FTS5 would do it within a commit', async (context) => {
  const { archives, db } = await opened(context);
  const counts: number[] = [];
  for (let index = 0; index < 500; index += 1) {
    await archives.record('irc', [said(index)]);
    counts.push(await segments(db));
  }

  await archives.finish();

  assert.ok(Math.max(...counts) < 200, String(Math.max(...counts)));
  assert.ok((await segments(db)) <= 8);
});

test('segments are counted without reading all pages of an index', async (context) => {
  const { archives, db } = await opened(context);
  const count = () => db.read((reader) => segmentCount(reader, 'message_words'));

  const empty = await count();
  for (let index = 0; index < 7; index += 1) await archives.record('irc', [said(index)]);

  assert.deepEqual([empty, await count(), await segments(db)], [0, 7, 7]);
});

describe('texts that another thread has split', () => {
  test('are found by parts of their words, also where texts before them were not stored', async (context) => {
    const { archives, messages } = await opened(context);
    const split = createEventSplitter();
    const record = (...events: InboundEvent[]) => archives.record('irc', events, split(events).texts);
    const found = async (text: string) =>
      (await messages.find({ text: { kind: 'part', text } }, { limit: 9 })).messages.map(
        ({ externalId }) => externalId,
      );

    await record(said(1, { text: 'rhubarb' }), said(1, { text: 'Übermut' }), said(2, { text: 'übermut' }));
    await record(said(1, { text: 'marmalade' }), said(3, { text: 'rhubarb and marmalade' }));
    await record(said(4, { text: 'marmalade again, and 東京' }));

    assert.deepEqual(await found('hubar'), ['m3', 'm1']);
    assert.deepEqual(await found('berm'), ['m2']);
    assert.deepEqual(await found('armalad'), ['m4', 'm3']);
    assert.deepEqual(await found('京'), ['m4']);
  });

  test('are found where a batch before them was given up', async (context) => {
    const { archives, messages } = await opened(context);
    const split = createEventSplitter();
    const record = (...events: InboundEvent[]) => archives.record('irc', events, split(events).texts);

    await record(said(1, { text: 'rhubarb' }));
    split([said(2, { text: 'marmalade' })]);
    await record(said(3, { text: 'rhubarb and marmalade' }));

    for (const part of ['hubar', 'armala']) {
      const found = await messages.find({ text: { kind: 'part', text: part } }, { limit: 1 });
      assert.deepEqual(
        found.messages.map(({ externalId }) => externalId),
        ['m3'],
      );
    }
  });

  test('are in few pieces of memory', () => {
    const texts = ['a short one', 'ein größerer', 'x '.repeat(200_000), 'the last'];
    const events = texts.map((text, index) => said(index, { text }));

    const { texts: split, memory } = createEventSplitter()([...events, { kind: 'chat', chat: { id: 'c' } }]);

    assert.deepEqual(
      split.map(({ words }) => (typeof words === 'string' ? words : new TextDecoder().decode(words))),
      [...events.map(({ message }) => tokenizeMessage(message.text).words), ''],
    );
    assert.equal(memory.length, 2);
  });
});

/** `statements`: how many that write were run so far. */
async function opened(context: TestContext) {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  context.after(() => db.close());
  let count = 0;
  const counted: Database = {
    ...db,
    write: (body, options) =>
      db.write(
        (tx) =>
          body({
            ...tx,
            run: (...statement) => {
              count += 1;
              return tx.run(...statement);
            },
          }),
        options,
      ),
  };
  return {
    db,
    archives: createArchiveStore(counted, systemClock),
    messages: createMessageStore(db, systemClock),
    statements: () => count,
  };
}

function said(index: number, other: Partial<InboundMessage> = {}) {
  const message: InboundMessage = {
    chat: { id: 'c', name: 'C' },
    id: `m${index}`,
    sender: { id: 'ada', name: 'Ada' },
    text: `some word${index}`,
    at: START + index * 1_000,
    ...other,
  };
  return { kind: 'message', message } as const;
}

async function segments(db: Database): Promise<number> {
  const row = await db.read((reader) =>
    reader.get<{ count: number }>('select count(distinct segid) as count from message_words_idx'),
  );
  return row?.count ?? 0;
}
