import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runsCommand } from './own-processes.ts';
import { claimPidFile, runningMailman } from './pid-file.ts';

describe('the pid file of a mailman', () => {
  const folder = temporaryFolder(after);

  test('names the process that holds it, and is removed when that ends', async () => {
    const path = join(folder, 'one.pid');

    const claim = await claimPidFile(path);
    const second = await claimPidFile(path);
    const seen = await runningMailman(path);

    assert.equal(readFileSync(path, 'utf8'), `${process.pid}\n`);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual([claim.kind, claim.kind === 'claimed' && claim.wasStale], ['claimed', false]);
    assert.deepEqual(second, { kind: 'running', pid: process.pid });
    assert.deepEqual(seen, { pid: process.pid });
    if (claim.kind === 'claimed') claim.release();
    assert.equal(existsSync(path), false);
    assert.equal(await runningMailman(path), undefined);
  });

  test('is held by exactly one of many that start at the same time', async () => {
    const path = join(folder, 'many.pid');

    const claims = await Promise.all(Array.from({ length: 8 }, () => claimPidFile(path)));

    assert.equal(claims.filter(({ kind }) => kind === 'claimed').length, 1);
  });

  for (const [name, text] of Object.entries({
    'of a process that has exited': '2147483646\n',
    'of another program with the same pid': `${process.ppid}\n`,
    'without a pid': 'nonsense\n',
  })) {
    test(`is taken over if it is stale: ${name}`, async () => {
      const path = join(folder, `${text.trim()}.pid`);
      writeFileSync(path, text);

      const claim = await claimPidFile(path);

      assert.deepEqual([claim.kind, claim.kind === 'claimed' && claim.wasStale], ['claimed', true]);
      assert.equal(readFileSync(path, 'utf8'), `${process.pid}\n`);
    });
  }

  describe('of the original program, which holds no lock', () => {
    /** A process of any name that runs `mailman`, and a pid file that it might have written. */
    async function original(t: TestContext, name: string, { cwd = folder, writtenAt = new Date() } = {}) {
      const script = join(folder, name);
      writeFileSync(script, 'process.stdout.write("started"); setInterval(() => {}, 1000)');
      const child = spawn(process.execPath, [script, 'mailman'], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
      t.after(() => child.kill());
      await once(child.stdout, 'data');
      const path = join(folder, '.agentmail', `${name}.pid`);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, `${child.pid}\n`);
      utimesSync(path, writtenAt, writtenAt);
      return { path, pid: child.pid };
    }

    for (const name of ['agentmail', 'am-1.1']) {
      test(`is valid while that runs, as ${name}`, async (t) => {
        const { path, pid } = await original(t, name);

        assert.deepEqual(await claimPidFile(path), { kind: 'running', pid });
        assert.deepEqual(await runningMailman(path), { pid });
        assert.equal(readFileSync(path, 'utf8'), `${pid}\n`);
      });
    }

    test('is stale if it names the mailman of another repository, as in a copied folder', async (t) => {
      const { path } = await original(t, 'copied', { cwd: tmpdir() });

      assert.equal(await runningMailman(path), undefined);
      assert.equal((await claimPidFile(path)).kind, 'claimed');
    });

    test('is stale if its process was started later: the pid was used again', async (t) => {
      const { path } = await original(t, 'later', { writtenAt: new Date(Date.now() - 60_000) });

      assert.equal(await runningMailman(path), undefined);
      assert.equal((await claimPidFile(path)).kind, 'claimed');
    });
  });

  test('is refused if it is a symbolic link', async () => {
    const path = join(folder, 'link.pid');
    symlinkSync(join(folder, 'elsewhere'), path);

    await assert.rejects(claimPidFile(path), { message: `${path} is a symbolic link, which is not used for mail` });
    assert.equal(existsSync(join(folder, 'elsewhere')), false);
  });

  test('is not matched by a process that is not a mailman', async () => {
    assert.equal(await runsCommand(process.pid, 'mailman'), false);
  });
});
