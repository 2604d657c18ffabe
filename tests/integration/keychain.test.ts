import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const USER = new URL('../support/secrets/user-program.ts', import.meta.url).pathname;
const UNLOCK = 'printf %s "$KEYRING_PASSWORD" | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1';

let folder: string;
let home: string;

beforeEach((context) => {
  const { after } = context as TestContext;
  folder = temporaryFolder(after.bind(context));
  home = join(folder, 'home');
  mkdirSync(join(folder, 'run'), { mode: 0o700 });
});

/** A user of this machine without a desktop, isolated from the session that runs the tests. */
function environment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    XDG_RUNTIME_DIR: join(folder, 'run'),
    KEYRING_PASSWORD: 'of the keyring',
  };
}

async function withoutBus(...steps: string[]): Promise<unknown[]> {
  const { stdout } = await run(process.execPath, [USER, home, ...steps], { env: environment() });
  return JSON.parse(stdout);
}

/** Runs the steps in a session with a D-Bus, as a desktop has it, after the command `prepare`. */
async function inSession(prepare: string, ...steps: string[]): Promise<unknown[]> {
  const command = `${prepare}; exec "$0" "$@"`;
  const args = ['--', 'sh', '-c', command, process.execPath, USER, home, ...steps];
  const { stdout } = await run('dbus-run-session', args, { env: environment() });
  return JSON.parse(stdout);
}

const inSecrets = () => readdirSync(join(home, 'secrets')).sort();

describe('the system keychain', () => {
  test('without a session bus the key is stored in a file, and nothing in the kernel keyring', async () => {
    const answers = await withoutBus('set A=value-of-a', 'provider', 'get A');

    assert.deepEqual(answers, [null, 'file', 'value-of-a']);
    assert.deepEqual(inSecrets(), ['master.key', 'provider.json', 'shared.json']);
    assert.doesNotMatch(
      existsSync('/proc/keys') ? readFileSync('/proc/keys', 'utf8') : '',
      /switchboard|master-key|probe-/,
    );
  });

  test('with a locked keyring the key is stored in a file', async () => {
    const answers = await inSession(':', 'set A=value-of-a', 'provider', 'get A');

    assert.deepEqual(answers, [null, 'file', 'value-of-a']);
  });

  test('with an unlocked secret service the key is stored there, persists across sessions, and is rotated there', async () => {
    const first = await inSession(UNLOCK, 'set A=value-of-a', 'provider', 'get A');
    const second = await inSession(UNLOCK, 'get A', 'rotate', 'get A', 'set B=value-of-b');
    const third = await inSession(UNLOCK, 'get A', 'get B', 'provider');

    assert.deepEqual(first, [null, 'keychain', 'value-of-a']);
    assert.deepEqual(second, ['value-of-a', { secrets: 1 }, 'value-of-a', null]);
    assert.deepEqual(third, ['value-of-a', 'value-of-b', 'keychain']);
    assert.deepEqual(inSecrets(), ['provider.json', 'shared.json']);
    assert.equal(statSync(join(home, 'secrets', 'provider.json')).mode & 0o777, 0o600);
  });

  test('a key in the keychain is never replaced when the keychain is locked or unavailable', async () => {
    await inSession(UNLOCK, 'set A=value-of-a');

    const answers = [
      ...(await inSession(':', 'get A')),
      ...(await withoutBus('get A', 'set B=value-of-b', 'provider')),
    ];

    const message = 'The master key is in the system keychain, which did not return it.';
    const hint = 'Unlock the keychain and run inside the same desktop session. Without a desktop, see docs/secrets.md.';
    const refusal = { code: 'SERVICE_UNAVAILABLE', message, hint };
    assert.deepEqual(answers, [refusal, refusal, refusal, 'keychain']);
    assert.deepEqual(inSecrets(), ['provider.json', 'shared.json']);
    assert.deepEqual(await inSession(UNLOCK, 'get A'), ['value-of-a']);
  });
});
