import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes } from './format-bytes.ts';

test('a size is shown in the largest unit that keeps it above one', () => {
  const told = [0, 1, 1023, 1024, 1536, 1_048_575, 1_048_576, 5 * 1024 ** 4, 2000 * 1024 ** 4].map(formatBytes);

  assert.deepEqual(told, ['0 bytes', '1 bytes', '1023 bytes', '1 KB', '1.5 KB', '1.0 MB', '1 MB', '5 TB', '2000 TB']);
});
