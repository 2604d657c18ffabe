import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClosing } from './closing.ts';

test('what is opened while the rest is being closed, or after that, is closed too', async () => {
  const closing = createClosing();
  const closed: string[] = [];
  await closing.add(async () => {
    await closing.add(() => closed.push('meanwhile'));
    closed.push('before');
  });

  await closing.closeAll();
  await closing.add(() => closed.push('after'));

  assert.deepEqual(closed, ['meanwhile', 'before', 'after']);
});
