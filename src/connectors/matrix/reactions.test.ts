import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReactionEvent } from './convert.ts';
import { recallReactions } from './reactions.ts';

const FEW = { parts: 2, perPart: 2 };

test('reactions are remembered across restarts', async () => {
  const memory = memoryOf();
  const before = await recallReactions(memory);
  before.note('$1', reaction('👍'));
  await before.save(memory);

  const after = await recallReactions(memory);

  assert.deepEqual(after.find('$1'), reaction('👍'));
  assert.equal(after.find('$2'), undefined);
});

test('the latest are kept, in a limited number of stored parts', async () => {
  const memory = memoryOf();
  const before = await recallReactions(memory, FEW);
  for (const number of [1, 2, 3, 4, 5, 6, 7]) {
    before.note(`$${number}`, reaction(`${number}`));
    await before.save(memory);
  }

  const after = await recallReactions(memory, FEW);
  after.note('$8', reaction('8'));
  await after.save(memory);
  const last = await recallReactions(memory, FEW);

  const found = (of: typeof last) => [1, 2, 3, 4, 5, 6, 7, 8].filter((number) => of.find(`$${number}`));
  assert.deepEqual(
    [found(before), found(after), found(last)],
    [
      [4, 5, 6, 7],
      [5, 6, 7, 8],
      [5, 6, 7, 8],
    ],
  );
  assert.deepEqual([...memory.values.keys()], ['reactions 0', 'reactions 1']);
});

test('one of hostile length is not remembered, since each part is stored as a whole', async () => {
  const memory = memoryOf();
  const reactions = await recallReactions(memory);
  reactions.note('$1', reaction('x'.repeat(60_000)));
  reactions.note('$2', reaction('👍'));

  await reactions.save(memory);

  assert.equal(reactions.find('$1'), undefined);
  assert.ok((memory.values.get('reactions 0') ?? '').length < 1_000);
});

test('what could not be stored is stored the next time, and each reaction once', async () => {
  const memory = memoryOf();
  const before = await recallReactions(memory);
  before.note('$1', reaction('👍'));
  const full = { ...memory, set: () => Promise.reject(new Error('the disk is full')) };
  await assert.rejects(before.save(full));

  before.note('$1', reaction('👍'));
  await before.save(memory);

  assert.equal((await recallReactions(memory)).find('$1')?.sign, '👍');
  assert.equal(memory.values.get('reactions 0')?.split('$1').length, 2);
});

test('stored text that cannot be parsed counts as none', async () => {
  const memory = memoryOf();
  memory.values.set('reactions 0', '{');

  assert.equal((await recallReactions(memory)).find('$1'), undefined);
});

function memoryOf() {
  const values = new Map<string, string>();
  return {
    values,
    get: async (key: string) => values.get(key),
    set: async (key: string, value: string) => void values.set(key, value),
  };
}

function reaction(sign: string): ReactionEvent {
  return { kind: 'reaction', chat: '!room', message: '$message', sender: { id: '@bob:x', name: 'Bob' }, sign, at: 1 };
}
