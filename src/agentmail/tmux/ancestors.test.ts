import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ancestorsOf, environmentOf, parsePsLine, parseStat } from './ancestors.ts';

test('the ancestors of a process are listed from the process upwards', async () => {
  const pids = (await ancestorsOf(process.pid)).map(({ pid }) => pid);

  assert.deepEqual(pids.slice(0, 2), [process.pid, process.ppid]);
  assert.equal(new Set(pids).size, pids.length);
});

test('a process that has exited has neither ancestors nor an environment', async () => {
  assert.deepEqual(await ancestorsOf(2 ** 30), []);
  assert.equal(environmentOf(2 ** 30), undefined);
});

test('the event loop is not blocked while the processes are listed', async () => {
  const listed = Promise.withResolvers<string>();
  const found = ancestorsOf(42, () => listed.promise, 'darwin');

  await new Promise(setImmediate);
  listed.resolve('  42   7 ttys001 /bin/sh\n   7   1 ??      /opt/tmux\n   1   0 ??      /sbin/launchd\n');

  assert.deepEqual(await found, [
    { pid: 42, parent: 7, name: 'sh', hasTerminal: true },
    { pid: 7, parent: 1, name: 'tmux', hasTerminal: false },
    { pid: 1, parent: 0, name: 'launchd', hasTerminal: false },
  ]);
});

test('name, parent, session and terminal are parsed, for any name', () => {
  const inTerminal = { name: 'tmux: a) S 9 (b', parent: 42, session: 4710, hasTerminal: true };

  assert.deepEqual(parseStat('4711 (tmux: a) S 9 (b) S 42 4711 4710 34816 -1'), inTerminal);
  assert.equal(parseStat('4711 (sh) S 42 4711 4711 0 -1').hasTerminal, false);
  assert.deepEqual(parsePsLine('  4711    42 ttys003  /opt/my programs/tmux'), {
    pid: 4711,
    parent: 42,
    name: 'tmux',
    hasTerminal: true,
  });
  assert.equal(parsePsLine(''), undefined);
});
