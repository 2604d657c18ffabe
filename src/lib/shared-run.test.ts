import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedRun } from './shared-run.ts';

describe('a shared run', () => {
  test('serves all callers of one turn', async () => {
    let runs = 0;
    const run = sharedRun(async () => ++runs);

    assert.deepEqual(await Promise.all([run(), run(), run()]), [1, 1, 1]);
    assert.equal(await run(), 2);
  });

  test('that has begun does not serve later callers: they share the next one, which begins after it', async () => {
    const begun: PromiseWithResolvers<number>[] = [];
    const run = sharedRun(() => {
      const one = Promise.withResolvers<number>();
      begun.push(one);
      return one.promise;
    });

    const first = run();
    await new Promise(setImmediate);
    const later = [run(), run()];
    await new Promise(setImmediate);
    assert.equal(begun.length, 1);
    begun[0]?.resolve(1);
    await new Promise(setImmediate);
    assert.equal(begun.length, 2);
    begun[1]?.resolve(2);

    assert.deepEqual([await first, ...(await Promise.all(later))], [1, 2, 2]);
  });

  test('that failed does not affect the next one', async () => {
    let runs = 0;
    const run = sharedRun(async () => {
      runs += 1;
      if (runs === 1) throw new Error('once');
      return runs;
    });

    await assert.rejects(run(), /once/);
    assert.equal(await run(), 2);
  });
});
