import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { daemonStatus, removeHome } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a process that holds secrets writes no core dump', { skip: process.platform !== 'linux' }, async (context) => {
  const home = join(temporaryFolder(after), 'home');
  context.after(() => removeHome(home));
  // Started programs inherit the limit of this process.
  spawnSync('prlimit', ['--pid', String(process.pid), '--core=unlimited:unlimited']);

  await runProgram(['token', 'list'], { home });
  const { pid } = await daemonStatus(home);
  assert.doesNotMatch(readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m);
  await runProgram(['secret', 'set', 'ONE'], { home, stdin: 'a value' });

  assert.equal((await daemonStatus(home)).pid, pid);
  assert.match(readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m);
});
