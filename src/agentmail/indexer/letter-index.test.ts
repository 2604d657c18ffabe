import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letterIndexOf } from '../../../tests/support/agentmail/letter-index.ts';
import { chatStore } from '../../../tests/support/chat/store.ts';
import type { IndexedLetter } from '../ports.ts';
import { AGENTMAIL } from './letter-message.ts';

const { store, clock } = chatStore();
const DAY = 24 * 3_600_000;
const MARK = { path: '/r/a.jsonl', bytes: 1, lineStart: 0, lastId: 'a' };

describe('letters as chat messages', () => {
  test('are stored once, even if they are read again because the mark was not saved', async () => {
    const { index, failNext } = indexThatFails();
    failNext();

    await assert.rejects(index.add([letter('a')], MARK), /no mark/);
    await index.add([letter('a')], MARK);

    assert.deepEqual(await stored(), ['a']);
  });

  test('with a timestamp in the future get the current one', async () => {
    const index = letterIndexOf(store(), { clock });

    await index.add([letter('late', { createdAt: clock.now() + 1_000 * DAY })]);
    await index.add([letter('now', { createdAt: clock.now() + 1 })]);

    assert.deepEqual(await stored(), ['now', 'late']);
    assert.equal((await store().messages.extent(AGENTMAIL)).oldest, clock.now());
  });

  test('without a date are found as the oldest ones', async () => {
    const index = letterIndexOf(store(), { clock });
    const { createdAt: _, ...undated } = letter('undated');

    await index.add([undated, letter('dated')]);

    const { letters } = await index.find({ limit: 10 });
    assert.deepEqual(
      letters.map(({ id, createdAt }) => [id, createdAt]),
      [
        ['dated', clock.now()],
        ['undated', undefined],
      ],
    );
  });

  test('add their repository to the known ones', async () => {
    await letterIndexOf(store(), { clock }).record(letter('a'), 'sent');

    const { letters } = await letterIndexOf(store(), { clock }).find({ limit: 10 });

    assert.deepEqual(
      letters.map(({ repository }) => repository),
      ['/r'],
    );
    assert.deepEqual(await store().agentmail.repositories.folders(), ['/r']);
  });

  test('notify subscribers only if they are new', async () => {
    const index = letterIndexOf(store(), { clock });

    await index.add([letter('new'), letter('old', { createdAt: clock.now() - DAY })]);

    const events = await store().events.read(0, { types: ['message.', 'messages.'] });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['messages.imported', 'message.received'],
    );
  });
});

function indexThatFails() {
  const { records } = store().agentmail;
  let fails = false;
  const saveMark: typeof records.saveMark = async (mark) => {
    if (!fails) return records.saveMark(mark);
    fails = false;
    throw new Error('no mark');
  };
  return {
    index: letterIndexOf(store(), { clock, records: { ...records, saveMark } }),
    failNext: () => {
      fails = true;
    },
  };
}

function letter(id: string, more: Partial<IndexedLetter> = {}): IndexedLetter {
  return { repository: '/r', id, from: 'ann', to: 'bob', message: id, createdAt: clock.now(), ...more };
}

async function stored(): Promise<string[]> {
  const { messages } = await store().messages.find({ sources: [AGENTMAIL] }, { limit: 10 });
  return messages.map(({ text }) => text);
}
