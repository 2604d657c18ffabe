import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboundEvent } from '../../domain/chat.ts';
import type { HistoryPage, HistoryRequest, Timeline } from '../connector.ts';
import { createFollowed } from './followed.ts';

test('each chat is reported once, and its messages have positions', () => {
  const { followed, named } = scene();

  followed.follow('#x', 'bob');
  followed.follow('#x');

  assert.deepEqual(named, [
    { id: '#x', chat: '#x' },
    { id: 'bob', chat: 'bob' },
  ]);
  assert.deepEqual(followed.position('#x', '1'), { timeline: '#x', cursor: '1' });
  assert.equal(followed.position('#y', '1'), undefined);
});

test('messages missed between leaving and rejoining a channel are fetched; positions are withheld until then', async () => {
  const { followed, asked, missed, answer } = scene();
  followed.joined('#x');
  followed.position('#x', '1');

  followed.left('#x', '8');
  followed.joined('#x');
  const meanwhile = followed.position('#x', '9');
  await answer({ kind: 'page', events: [event('a'), event('b')], oldest: '2', newest: '3', end: false });
  await answer({ kind: 'page', events: [], end: true });

  assert.equal(meanwhile, undefined);
  assert.deepEqual(
    asked.map(({ direction, from }) => [direction, from]),
    [
      ['newer', '1'],
      ['newer', '3'],
    ],
  );
  assert.deepEqual(missed, [event('a'), event('b')]);
  assert.deepEqual(followed.position('#x', '10'), { timeline: '#x', cursor: '10' });
});

test('if they cannot be fetched, the failure is reported and no later position is returned', async () => {
  const { followed, failures, answer } = scene();
  followed.joined('#x');
  followed.position('#x', '1');

  followed.left('#x', '8');
  followed.joined('#x');
  await answer(new Error('no'));

  assert.equal(failures.length, 1);
  assert.equal(followed.position('#x', '2'), undefined);
});

function scene() {
  const named: Timeline[] = [];
  const asked: HistoryRequest[] = [];
  const missed: InboundEvent[] = [];
  const failures: unknown[] = [];
  const waiting: { resolve(page: HistoryPage): void; reject(error: Error): void }[] = [];
  const followed = createFollowed({
    host: { connected: (timelines = []) => void named.push(...timelines) },
    history(request) {
      asked.push(request);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    signal: new AbortController().signal,
    onMissed: (found) => missed.push(found),
    onFailure: (error) => failures.push(error),
  });
  async function answer(page: HistoryPage | Error): Promise<void> {
    const question = waiting.shift();
    if (page instanceof Error) question?.reject(page);
    else question?.resolve(page);
    await new Promise(setImmediate);
  }
  return { followed, named, asked, missed, failures, answer };
}

function event(id: string): InboundEvent {
  return { kind: 'chat', chat: { id } };
}
