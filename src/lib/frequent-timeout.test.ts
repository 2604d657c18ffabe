import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFrequentTimeout } from './frequent-timeout.ts';

describe('a timeout that is set often', () => {
  test('fires when its time is over, repeatedly', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const gone: string[] = [];

    setFrequentTimeout(() => gone.push('first'), 60_000);
    setFrequentTimeout(() => gone.push('second'), 60_000);
    context.mock.timers.tick(60_000);
    setFrequentTimeout(() => gone.push('third'), 60_000);
    context.mock.timers.tick(59_999);

    assert.deepEqual(gone, ['first', 'second']);
  });

  test('keeps no process alive once it is cleared', () => {
    for (let length = 10_000; length < 10_100; length++) clearTimeout(setFrequentTimeout(() => {}, length));

    assert.ok(!process.getActiveResourcesInfo().includes('Timeout'));
  });
});
