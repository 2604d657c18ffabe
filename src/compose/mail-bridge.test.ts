import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chatStore } from '../../tests/support/chat/store.ts';
import type { IndexedLetter } from '../agentmail/ports.ts';
import { AGENTMAIL, bridgedIndex } from './mail-bridge.ts';

const { store, clock } = chatStore();
const DAY = 24 * 3_600_000;

describe('letters that come to chat', () => {
  test('are stored once, though their index failed after that and they came again', async () => {
    const { index, failNext } = bridged();
    failNext();

    await assert.rejects(index.add([letter('a')]), /no index/);
    await index.add([letter('a')]);

    assert.deepEqual(await stored(), ['a']);
  });

  test('are not from the future, whatever they say', async () => {
    const { index } = bridged();

    await index.add([letter('late', { createdAt: clock.now() + 1_000 * DAY })]);
    await index.add([letter('now', { createdAt: clock.now() + 1 })]);

    assert.deepEqual(await stored(), ['now', 'late']);
    assert.equal((await store().messages.extent(AGENTMAIL)).oldest, clock.now());
  });
});

function bridged() {
  let fails = false;
  const add = async () => {
    if (!fails) return;
    fails = false;
    throw new Error('no index');
  };
  const index = bridgedIndex({
    index: { ...store().letters, add },
    messages: store().messages,
    clock,
    onMail: async () => {},
  });
  return {
    index,
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
