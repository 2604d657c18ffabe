import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { runsAgentmail } from './own-processes.ts';
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

  test('of the original program, which holds no lock, is valid while that runs', async (t) => {
    const script = join(folder, 'agentmail');
    writeFileSync(script, 'setInterval(() => {}, 1000)');
    const original = spawn(process.execPath, [script, 'mailman', '--daemon'], { stdio: 'ignore' });
    t.after(() => original.kill());
    const path = join(folder, 'original.pid');
    writeFileSync(path, `${original.pid}\n`);

    assert.deepEqual(await claimPidFile(path), { kind: 'running', pid: original.pid });
    assert.deepEqual(await runningMailman(path), { pid: original.pid });
    assert.equal(readFileSync(path, 'utf8'), `${original.pid}\n`);
  });

  test('is refused if it is a symbolic link', async () => {
    const path = join(folder, 'link.pid');
    symlinkSync(join(folder, 'elsewhere'), path);

    await assert.rejects(claimPidFile(path), { message: `${path} is a symbolic link, which is not used for mail` });
    assert.equal(existsSync(join(folder, 'elsewhere')), false);
  });

  test('is not matched by a process that is not a mailman', async () => {
    assert.equal(await runsAgentmail(process.pid, 'mailman'), false);
  });
});
