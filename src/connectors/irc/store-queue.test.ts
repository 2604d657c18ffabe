import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboundEvent } from '../../domain/chat.ts';
import type { Position } from '../connector.ts';
import { createStoreQueue } from './store-queue.ts';

test('what comes at once is stored at once, a run of one timeline at a time, with the last place of each', async () => {
  const stored: [number, Position | undefined][] = [];
  const queue = createStoreQueue(
    { accept: async (events, position) => void stored.push([events.length, position]) },
    () => {},
  );

  queue.put(event('a'), { timeline: '#x', cursor: '1' });
  queue.put(event('b'), { timeline: '#x', cursor: '2' });
  queue.put(event('c'));
  queue.put(event('d'), { timeline: '#y', cursor: '3' });
  await queue.settled();

  assert.deepEqual(stored, [
    [2, { timeline: '#x', cursor: '2' }],
    [1, undefined],
    [1, { timeline: '#y', cursor: '3' }],
  ]);
});

test('a server that says more than can be stored is held back until it is', async () => {
  const held: boolean[] = [];
  const queue = createStoreQueue({ accept: async () => {} }, (isHeld) => held.push(isHeld));

  for (let id = 0; id < 3_000; id++) queue.put(event(String(id)));
  await queue.settled();

  assert.deepEqual(held, [true, false]);
});

test('what could not be stored ends the connection, so that it is fetched again', async () => {
  const queue = createStoreQueue({ accept: () => Promise.reject(new Error('the disk is full')) }, () => {});

  queue.put(event('a'));

  await assert.rejects(queue.failed, /the disk is full/);
});

function event(id: string): InboundEvent {
  return { kind: 'chat', chat: { id } };
}
