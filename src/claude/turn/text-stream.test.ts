import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressOf, textStream } from './text-stream.ts';

test('a text comes in parts, then its result', async () => {
  const seen: unknown[] = [];

  for await (const next of textStream(async (onText) => {
    onText('One ');
    onText('two');
    await new Promise((resolve) => setImmediate(resolve));
    onText(' three');
    return 3;
  })) {
    seen.push(next);
  }

  assert.deepEqual(seen, [{ part: 'One two' }, { part: ' three' }, { result: 3 }]);
});

test('a failure comes after what had been said', async () => {
  const parts: unknown[] = [];
  const failing = async () => {
    for await (const next of textStream(async (onText) => {
      onText('Almost');
      throw new Error('broken');
    })) {
      parts.push(next);
    }
  };

  await assert.rejects(failing(), /broken/);
  assert.deepEqual(parts, [{ part: 'Almost' }]);
});

test('progress grows, and is not reported for every word', () => {
  const reports: unknown[] = [];
  let now = 0;
  const report = progressOf(
    (...args) => reports.push(args),
    () => now,
  );

  report('One');
  report(' two');
  now = 250;
  report(' three');

  assert.deepEqual(reports, [
    [3, undefined, 'One'],
    [13, undefined, ' two three'],
  ]);
});
