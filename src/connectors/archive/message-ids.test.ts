import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMessageIds } from './message-ids.ts';

const said = { chat: 'c', time: '15:04', sender: 'Alice', text: 'ok' };

describe('ids for messages that have none', () => {
  test('are the same for the same, and count what was said again', () => {
    const [first, second] = [createMessageIds(), createMessageIds()];

    const ids = [first(said), first(said), first({ ...said, text: 'no' }), first(said)];

    assert.equal(new Set(ids).size, 4);
    assert.deepEqual([second(said), second(said), second({ ...said, text: 'no' }), second(said)], ids);
  });

  test('tell parts apart that would be one text together', () => {
    const id = createMessageIds();

    assert.notEqual(id({ ...said, sender: 'a', text: 'bc' }), id({ ...said, sender: 'ab', text: 'c' }));
  });

  test('remember long enough, and not everything', () => {
    const id = createMessageIds();
    const first = id(said);

    for (let number = 0; number < 60_000; number++) id({ ...said, text: String(number) });
    const soon = id(said);
    for (let number = 0; number < 200_000; number++) id({ ...said, text: `later ${number}` });

    assert.notEqual(soon, first);
    assert.equal(id(said), first);
  });
});
