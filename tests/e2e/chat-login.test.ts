import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeConfig } from '../support/chat/live-home.ts';
import { startHomeserver } from '../support/matrix/homeserver.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'the-password-of-carol';
const folder = temporaryFolder(after);

test('a source without a configured password is logged in by the user, and stays logged in', {
  timeout: 120_000,
}, async (context) => {
  const home = join(folder, 'home');
  const matrix = await startHomeserver();
  context.after(async () => {
    removeHome(home);
    await matrix.close();
  });
  const carol = matrix.model.addUser('carol', PASSWORD, 'Carol');
  writeConfig(home, { sources: { work: { kind: 'matrix', homeserver: matrix.url } } });
  const login = (stdin: string, ...flags: string[]) => runProgram(['chat', 'login', 'work', ...flags], { home, stdin });

  const wrong = await login(`${carol}\nwrong\n`);
  const right = await login(`${carol}\n${PASSWORD}\n`, '--json');
  const again = await login('');

  assert.deepEqual([wrong.code, right.code, again.code], [1, 0, 0], `${wrong.stderr}${right.stderr}${again.stderr}`);
  assert.match(wrong.stdout, /^work is not connected\. The homeserver refuses/);
  const steps = right.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    steps.map(({ step, is_connected }) => step?.field ?? is_connected),
    ['user', 'password', true],
  );
  assert.equal(again.stdout, 'work is connected.\n');
  for (const { stdout, stderr } of [wrong, right, again]) assert.ok(!`${stdout}${stderr}`.includes(PASSWORD));
  // Neither the password nor the access token is stored in plain text.
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const plain = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
  assert.ok(!plain.includes(PASSWORD));
  assert.ok(!/token-[0-9a-f]{8}-/.test(plain));
});
