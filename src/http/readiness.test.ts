import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createReadiness } from './readiness.ts';

test('concurrent readiness requests share one check', async () => {
  const asked = Promise.withResolvers<readonly string[]>();
  const problems = mock.fn(() => asked.promise);
  const ready = createReadiness(problems);

  const both = Promise.all([ready(), ready()]);
  asked.resolve(['a reason']);

  assert.deepEqual(await both, [['a reason'], ['a reason']]);
  assert.deepEqual(await ready(), ['a reason']);
  assert.equal(problems.mock.callCount(), 2);
});

test('a store that does not answer, or fails, is not ready', async () => {
  const silent = createReadiness(() => new Promise(() => {}), 1);
  const failing = createReadiness(async () => {
    throw new Error('SECRET');
  });

  assert.deepEqual(await silent(), ['The store does not answer.']);
  assert.deepEqual(await failing(), ['The store does not answer.']);
});
