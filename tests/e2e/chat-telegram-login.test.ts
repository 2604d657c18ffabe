import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connected, sourcesOf, writeConfig } from '../support/chat/live-home.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { CODE, PHONE } from '../support/telegram/sign-in.ts';
import { startTelegram } from '../support/telegram/telegram-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'the-second-factor-of-the-account';
const folder = temporaryFolder(after);

test('CHAT-34 a Telegram account is signed in by phone, code and password, stays so, and is signed off', {
  timeout: 180_000,
}, async (context) => {
  const home = join(folder, 'home');
  const telegram = await startTelegram({ password: PASSWORD });
  context.after(async () => {
    removeHome(home);
    await telegram.close();
  });
  writeConfig(home, { sources: { tg: { kind: 'telegram', ...telegram.settings } } });
  const command = (name: string, stdin = '', ...flags: string[]) =>
    runProgram(['chat', name, 'tg', ...flags], { home, stdin });

  const wrong = await command('login', `${PHONE}\n1\n2\n3\n`);
  const right = await command('login', `${PHONE}\n${CODE}\n${PASSWORD}\n`, '--json');
  await connected(home, 'tg');
  await runProgram(['daemon', 'stop'], { home });
  await connected(home, 'tg');
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const plain = files
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
    .map(String)
    .join('\n');
  const off = await command('logout');
  await until('it is signed off', async () => (await sourcesOf(home)).tg?.is_connected === false);
  const again = await command('login');

  assert.deepEqual([wrong.code, right.code, off.code], [1, 0, 0], `${wrong.stderr}${right.stderr}${off.stderr}`);
  assert.match(wrong.stdout, /tg is not connected\. The code is wrong\.\n$/);
  const steps = right.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    steps.map(({ step, is_connected }) => step?.field ?? is_connected),
    ['phone', 'code', 'password', true],
  );
  for (const { stdout, stderr } of [wrong, right]) assert.ok(!`${stdout}${stderr}`.includes(PASSWORD));
  for (const { key } of telegram.keys()) {
    for (const secret of [
      PASSWORD,
      key.toString('latin1'),
      key.toString('base64').slice(0, 300),
      key.toString('hex'),
    ]) {
      assert.ok(!plain.includes(secret), 'a secret is in a plain file');
    }
  }
  assert.match(off.stdout, /^tg is signed off/);
  assert.equal(telegram.calls.filter((call) => call === 'auth.logOut').length, 1);
  assert.ok(telegram.keys().every(({ isSignedIn }) => !isSignedIn));
  // The session is gone: it asks for the phone number again.
  assert.match(again.stderr, /Standard input ended before everything was answered/);
});
