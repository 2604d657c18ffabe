import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCommandQueue } from './command-queue.ts';

test('works run one after the other, in order, whether or not one fails', async () => {
  const queue = createCommandQueue();
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await nextTurn();
    events.push(`${name} ends`);
    if (name === 'b') throw new Error(name);
    return name;
  };

  const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(work(name))));

  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('it is empty when the last work has ended, those that came meanwhile included', async () => {
  const queue = createCommandQueue();
  const ended: string[] = [];
  const first = queue.run(async () => {
    await nextTurn();
    ended.push('first');
    void queue.run(async () => {
      await nextTurn();
      ended.push('second');
    });
  });

  await Promise.all([first, queue.empty()]);

  assert.deepEqual(ended, ['first', 'second']);
  assert.equal(queue.isBusy, false);
});
