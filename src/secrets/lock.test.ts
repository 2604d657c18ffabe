import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { createFolderLock } from './lock.ts';

let folder: string;

beforeEach((context) => {
  const { after } = context as TestContext;
  folder = temporaryFolder(after.bind(context));
});

/** The lock file of an owner, as that owner would have created it. */
function lockFileOf(pid: number, start: string): string {
  const file = `.lock-${pid}-${start}-0123456789abcdef`;
  writeFileSync(join(folder, file), '');
  return file;
}

describe('the lock', () => {
  test('runs one task at a time across processes, within a process in the order of the calls', async () => {
    const locks = [createFolderLock(folder), createFolderLock(folder)];
    const order: number[] = [];
    let running = 0;
    const task = (number: number) => async () => {
      assert.equal(++running, 1);
      await nextTurn();
      order.push(number);
      running--;
    };

    await Promise.all(Array.from({ length: 20 }, (_, number) => locks[number % 2]?.(task(number))));

    assert.deepEqual(
      order.filter((number) => number % 2 === 0),
      [0, 2, 4, 6, 8, 10, 12, 14, 16, 18],
    );
    assert.equal(order.length, 20);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('a task that fails releases the lock, and its error is thrown', async () => {
    const lock = createFolderLock(folder);

    await assert.rejects(
      lock(() => Promise.reject(new Error('of the task'))),
      /of the task/,
    );

    assert.equal(await lock(async () => 'next'), 'next');
  });

  test('the lock file of a process that ended is removed', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    lockFileOf(pid, '1');

    assert.equal(await createFolderLock(folder)(async () => 'mine'), 'mine');
    assert.deepEqual(readdirSync(folder), []);
  });

  test('a reused process id is not taken for the former owner, where the start time of a process is known', async () => {
    for (const pid of [process.pid, process.ppid]) lockFileOf(pid, '1');

    const locked = createFolderLock(folder, 30)(async () => 'mine');

    if (existsSync('/proc/self/stat')) assert.equal(await locked, 'mine');
    else await assertFails(locked, 'BUSY', /Another process/);
  });

  test('a lock that is held too long is an error with its owner and a hint', async () => {
    const stat = existsSync('/proc/self/stat') ? readFileSync(`/proc/${process.ppid}/stat`, 'utf8') : '';
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
    const file = lockFileOf(process.ppid, start);

    const error = await assertFails(
      createFolderLock(folder, 30)(async () => {}),
      'BUSY',
      new RegExp(`\\(${process.ppid}\\)`),
    );

    assert.match(error.hint ?? '', new RegExp(`remove .*${file}`));
    assert.deepEqual(readdirSync(folder), [file]);
  });

  test('incomplete files of a killed process are removed, and nothing else', async () => {
    writeFileSync(join(folder, '.0123.tmp'), 'half a file');
    writeFileSync(join(folder, 'shared.json'), '{}');

    await createFolderLock(folder)(async () => {});

    assert.deepEqual(readdirSync(folder), ['shared.json']);
  });
});
