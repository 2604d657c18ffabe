import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { createKeychain } from './keychain.ts';

let folder: string;

beforeEach((context) => {
  const { after } = context as TestContext;
  folder = temporaryFolder(after.bind(context));
});

const notes = () => readFileSync(join(folder, 'notes'), 'utf8');

/** A keychain on a fake package whose `Entry` has these methods and may `note` something for the test. */
function keychainWith(methods: string, env: Record<string, string> = {}) {
  const path = join(folder, 'package.cjs');
  writeFileSync(
    path,
    `const { appendFileSync } = require('node:fs');
     const note = (text) => appendFileSync(${JSON.stringify(join(folder, 'notes'))}, text + '\\n');
     exports.Entry = class { constructor(...args) { this.args = args; } ${methods} };`,
  );
  return createKeychain(env, pathToFileURL(path).href);
}

const working =
  'setPassword(v) { this.v = v; } getPassword() { return this.v ?? null; } deletePassword() { note("deleted"); }';

describe('the keychain', () => {
  test('works when a value was written, read back and deleted', async () => {
    await keychainWith(working).probe();

    assert.equal(notes(), 'deleted\n');
  });

  test('a value that cannot be read back is a failure, and is deleted', async () => {
    const probe = keychainWith(working.replace('this.v ?? null', '"another"')).probe();

    await assert.rejects(probe, /could not be read back/);
    assert.equal(notes(), 'deleted\n');
  });

  test('a call that never returns is ended at the timeout, together with its process', async () => {
    const blocked =
      'setPassword() { note(process.pid); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }';

    await assert.rejects(keychainWith(blocked).probe(), /did not answer within 3000 ms/);

    assert.throws(() => process.kill(Number(notes()), 0), { code: 'ESRCH' });
  });

  test('a crash of native code is an ordinary failure', async () => {
    const crashing =
      'setPassword() { process.kill(process.pid, "SIGSEGV"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000); }';

    await assert.rejects(keychainWith(crashing).probe(), /exited without a reply/);
  });

  test('a package that is not installed is an ordinary failure', async () => {
    await assert.rejects(createKeychain({}, 'no-such-package-anywhere').probe(), /no-such-package-anywhere/);
  });

  test('entries are pinned to the secret service, under our name', async () => {
    await keychainWith('getPassword() { note(JSON.stringify(this.args)); return null; }').get('master-key-1');

    assert.deepEqual(JSON.parse(notes()), ['switchboard', 'master-key-1', { linux: { store: 'secret-service' } }]);
  });

  test('no value is on a command line, and no variable of ours is passed on', async () => {
    const telling =
      'setPassword(v) { note(JSON.stringify([v, process.argv, process.execArgv, Object.keys(process.env)])); }';
    const env = { SWITCHBOARD_PASSPHRASE: 'x', NODE_OPTIONS: '--title=x', DBUS_SESSION_BUS_ADDRESS: 'y' };

    await keychainWith(telling, env).set('master-key-1', 'the-key');

    const [value, argv, execArgv, variables] = JSON.parse(notes());
    assert.equal(value, 'the-key');
    assert.doesNotMatch(JSON.stringify([argv, execArgv]), /the-key/);
    assert(variables.includes('DBUS_SESSION_BUS_ADDRESS'));
    assert.deepEqual(
      variables.filter((name: string) => /SWITCHBOARD|NODE_OPTIONS/.test(name)),
      [],
    );
  });

  test('a missing entry has no value', async () => {
    assert.equal(await keychainWith(working).get('none'), undefined);
  });
});
