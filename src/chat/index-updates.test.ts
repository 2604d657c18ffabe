import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { createIndexUpdates } from './index-updates.ts';

/** An index whose updates last until they are aborted. */
function endlessIndex() {
  const signals: AbortSignal[] = [];
  const started = new EventTarget();
  return {
    signals,
    started: () => once(started, 'update'),
    async update(signal: AbortSignal = AbortSignal.abort()) {
      signals.push(signal);
      started.dispatchEvent(new Event('update'));
      if (!signal.aborted) await once(signal, 'abort');
      return 0;
    },
  };
}

function endlessUpdates() {
  const index = endlessIndex();
  const closing = new AbortController();
  const { signal } = closing;
  return {
    index,
    closing,
    updates: createIndexUpdates({ index: async () => index, log: silentLog, signal, intervalMs: 1 }),
  };
}

test('updates of the index are ended when work begins that pauses them, and go on after it', async () => {
  const { index, closing, updates } = endlessUpdates();
  const first = index.started();
  const running = updates.run();
  await first;

  const during = await updates.pausedDuring(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return index.signals.map(({ aborted }) => aborted);
  });
  await index.started();

  assert.deepEqual(during, [true]);
  assert.deepEqual(
    index.signals.map(({ aborted }) => aborted),
    [true, false],
  );
  closing.abort();
  await running;
});

test('updates go on after work that failed', async () => {
  const { index, closing, updates } = endlessUpdates();

  await assert.rejects(
    updates.pausedDuring(() => Promise.reject(new Error('no'))),
    /no/,
  );
  const started = index.started();
  const running = updates.run();
  await started;

  closing.abort();
  await running;
});
