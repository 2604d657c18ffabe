import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFlow } from './flow.ts';

test('a burst passes without delay, then one line per interval; an idle time allows another burst', async () => {
  let now = 0;
  const waits: number[] = [];
  const { signal } = new AbortController();
  const flow = createFlow(
    { burst: 2, everyMs: 100 },
    { now: () => now, wait: async (milliseconds) => void waits.push(milliseconds) },
  );

  for (let id = 0; id < 4; id++) await flow.pass(signal);
  now = 1_000;
  for (let id = 0; id < 3; id++) await flow.pass(signal);

  assert.deepEqual(waits, [100, 200, 100]);
});

test('waiting lines are rejected when the connection ends', async () => {
  const flow = createFlow({ burst: 1, everyMs: 60_000 });
  const over = new AbortController();
  await flow.pass(over.signal);

  const waiting = flow.pass(over.signal);
  over.abort();

  await assert.rejects(waiting);
});
