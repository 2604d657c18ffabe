import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isAlive, until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROCESS = new URL('../../scripts/test/process.mjs', import.meta.url).href;

test('a process left running by a failed test is ended after the tests of its file, without waiting for it', async (context) => {
  const folder = temporaryFolder((clean) => context.after(clean));
  const file = join(folder, 'failing.test.mjs');
  const pidFile = join(folder, 'pid');
  writeFileSync(
    file,
    `import { spawn } from 'node:child_process';
     import { writeFileSync } from 'node:fs';
     import { test } from 'node:test';
     test('fails', () => {
       writeFileSync(${JSON.stringify(pidFile)}, String(spawn('sleep', ['3600']).pid));
       throw new Error('on purpose');
     });`,
  );
  // Inside a test process of Node itself, Node would run no other tests.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, TEST_LIMIT_MS: '600000' };

  const run = promisify(execFile)(process.execPath, ['--test', `--import=${PROCESS}`, file], { env });

  await assert.rejects(run, { code: 1, stdout: /on purpose/ });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  assert.ok(pid > 0);
  await until('it has ended', () => !isAlive(pid));
});
