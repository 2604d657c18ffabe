import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startInTurn } from './start-in-turn.ts';

const LONG = 1_000_000;

/** Starts that are recorded and end when the test says so. */
function createStarts(count: number) {
  const begun: number[] = [];
  const ends = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const starts = ends.map(({ promise }, number) => () => {
    begun.push(number);
    return promise;
  });
  return { begun, ends, starts };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('starting servers in turn', () => {
  test('starts so many at once, and the next when one has started or failed', async () => {
    const { begun, ends, starts } = createStarts(4);
    const { signal } = new AbortController();

    const all = startInTurn(starts, { atOnce: 2, longestTurnMs: LONG, signal });
    const atFirst = [...begun];
    ends[1]?.reject(new Error('it failed'));
    await settled();
    const afterOne = [...begun];
    for (const { resolve } of ends) resolve();
    await all;

    assert.deepEqual(atFirst, [0, 1]);
    assert.deepEqual(afterOne, [0, 1, 2]);
    assert.deepEqual(begun, [0, 1, 2, 3]);
  });

  test('does not wait for one that hangs', async () => {
    const { begun, starts } = createStarts(3);
    const { signal } = new AbortController();

    await startInTurn(starts, { atOnce: 1, longestTurnMs: 1, signal });

    assert.deepEqual(begun, [0, 1, 2]);
  });

  test('starts none after it was told to stop', async () => {
    const { begun, starts } = createStarts(3);
    const stop = new AbortController();

    const all = startInTurn(starts, { atOnce: 1, longestTurnMs: LONG, signal: stop.signal });
    stop.abort();
    await all;

    assert.deepEqual(begun, [0]);
  });

  test('goes on at once where there is nothing to start', async () => {
    const { begun, ends, starts } = createStarts(1);
    const { signal } = new AbortController();
    ends[0]?.resolve();

    await startInTurn([() => undefined, ...starts], { atOnce: 1, longestTurnMs: LONG, signal });

    assert.deepEqual(begun, [0]);
  });
});
