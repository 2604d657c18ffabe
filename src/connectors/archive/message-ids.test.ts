import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMessageIds } from './message-ids.ts';

const said = { chat: 'c', time: '15:04', sender: 'Alice', text: 'ok' };

describe('ids for messages that have none', () => {
  test('are the same for the same input, and count repetitions', () => {
    const [first, second] = [createMessageIds(), createMessageIds()];

    const ids = [first(said), first(said), first({ ...said, text: 'no' }), first(said)];

    assert.equal(new Set(ids).size, 4);
    assert.deepEqual([second(said), second(said), second({ ...said, text: 'no' }), second(said)], ids);
  });

  test('differ if the same characters are split differently between sender and text', () => {
    const id = createMessageIds();

    assert.notEqual(id({ ...said, sender: 'a', text: 'bc' }), id({ ...said, sender: 'ab', text: 'c' }));
  });

  test('count repetitions among recent messages only', () => {
    const id = createMessageIds();
    const first = id(said);

    for (let number = 0; number < 60_000; number++) id({ ...said, text: String(number) });
    const soon = id(said);
    for (let number = 0; number < 200_000; number++) id({ ...said, text: `later ${number}` });

    assert.notEqual(soon, first);
    assert.equal(id(said), first);
  });
});
