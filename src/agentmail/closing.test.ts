import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClosing } from './closing.ts';

test('parts that are added during or after closing are closed too', async () => {
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
