import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createWakeup } from './wakeup.ts';

describe('a wake-up', () => {
  test('ends the wait', async () => {
    const wakeup = createWakeup();
    const waiting = wakeup.wait(60_000);

    wakeup.wake();

    assert.equal(await waiting, true);
  });

  test('before the wait is not lost, and counts once', async () => {
    const wakeup = createWakeup();

    wakeup.wake();
    wakeup.wake();

    assert.equal(await wakeup.wait(60_000), true);
    assert.equal(await wakeup.wait(1), false);
  });

  test('is optional: the wait has a timeout', async () => {
    assert.equal(await createWakeup().wait(1), false);
  });
});
