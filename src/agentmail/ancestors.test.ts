import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ancestorsOf, parentInStat } from './ancestors.ts';

test('a process is followed by its parents', async () => {
  const ancestors = await ancestorsOf(process.pid);

  assert.deepEqual(ancestors.slice(0, 2), [process.pid, process.ppid]);
  assert.equal(new Set(ancestors).size, ancestors.length);
});

test('a process that is gone has no parents', async () => {
  assert.deepEqual(await ancestorsOf(2 ** 30), [2 ** 30]);
});

test('the parent is found behind a name with spaces and brackets', () => {
  assert.equal(parentInStat('4711 (tmux: a) S 9 (b) S 42 4711 4711 0 -1'), 42);
});
