import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { assertFails, keychainInMemory } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import type { Keychain } from './keychain.ts';
import { openSecrets } from './store.ts';

const refuse = () => Promise.reject(new Error('no keychain here'));
const noKeychain: Keychain = { probe: refuse, get: refuse, set: refuse };

let home: string;
let said: string[];

beforeEach((context) => {
  const { after } = context as TestContext;
  home = join(temporaryFolder(after.bind(context)), 'home');
  said = [];
});

const fileOf = (file: string) => join(home, 'secrets', file);
const note = (_: object, message: string) => said.push(message);

function secretsWith(env: Record<string, string> = {}, keychain: Keychain = noKeychain) {
  return openSecrets({ home, env, keychain, log: { ...silentLog, info: note, warn: note }, clock: manualClock() });
}

describe('the master key is stored', () => {
  test('in the keychain when it works: nothing on disk can decrypt the secrets then', async () => {
    const entries = new Map<string, string>();
    const secrets = secretsWith({}, keychainInMemory(entries));

    await secrets.set('shared', 'A', 'value of A');

    assert.equal(await secrets.provider(), 'keychain');
    assert.equal(await secrets.describe(), 'encrypted, with the key in the keychain of this system');
    assert.deepEqual(readdirSync(fileOf('')).sort(), ['provider.json', 'shared.json']);
    assert.equal(Buffer.from([...entries.values()][0] ?? '', 'base64').length, 32);
    assert.equal(await secretsWith({}, keychainInMemory(entries)).get('shared', 'A'), 'value of A');
  });

  test('in a file for the owner alone when the keychain does not work, which is logged', async () => {
    const secrets = secretsWith();

    await secrets.set('shared', 'A', 'value of A');

    assert.equal(await secrets.provider(), 'file');
    assert.equal(statSync(fileOf('master.key')).size, 32);
    assert.equal(said[0], 'The system keychain cannot be used; storing the master key in a file.');
    assert.match(
      said[1] ?? '',
      /^Secrets are encrypted, with the key in .*master\.key, which this user alone can read\.$/,
    );
  });

  test('in the file if the file is forced', async () => {
    const secrets = secretsWith({ SWITCHBOARD_SECRETS_PROVIDER: 'file' }, keychainInMemory());

    await secrets.set('shared', 'A', 'value of A');

    assert.equal(await secrets.provider(), 'file');
  });

  test('nowhere if a keychain that does not work is forced', async () => {
    const setting = secretsWith({ SWITCHBOARD_SECRETS_PROVIDER: 'keychain' }).set('shared', 'A', 'value of A');

    const error = await assertFails(setting, 'SERVICE_UNAVAILABLE', /is keychain, but the keychain cannot be used/);
    assert.match(error.hint ?? '', /SWITCHBOARD_SECRETS_PROVIDER=file/);
    assert.deepEqual(readdirSync(fileOf('')), []);
  });

  test('an unknown provider, or one that contradicts a passphrase, is refused', async () => {
    const unknown = secretsWith({ SWITCHBOARD_SECRETS_PROVIDER: 'vault' });
    const both = secretsWith({ SWITCHBOARD_SECRETS_PROVIDER: 'file', SWITCHBOARD_PASSPHRASE: 'correct horse' });

    await assertFails(unknown.set('shared', 'A', 'value'), 'VALIDATION_ERROR', /one of keychain, file, passphrase/);
    await assertFails(both.set('shared', 'A', 'value'), 'VALIDATION_ERROR', /is file, but a passphrase is set too/);
  });

  test('the provider is chosen once: a different one later is an error, neither used nor silently ignored', async () => {
    await secretsWith().set('shared', 'A', 'value of A');
    said = [];
    const later = secretsWith({ SWITCHBOARD_SECRETS_PROVIDER: 'keychain' }, keychainInMemory());

    await later.set('shared', 'B', 'value of B');

    assert.equal(await later.provider(), 'file');
    assert.equal(await later.get('shared', 'A'), 'value of A');
    assert.deepEqual(said, ['The master key remains with the provider it was created with (file).']);
  });

  test('a keychain that was removed, or has lost the key, is an error with a hint', async () => {
    await secretsWith({}, keychainInMemory()).set('shared', 'A', 'value of A');
    const before = readFileSync(fileOf('shared.json'));

    const gone = await assertFails(
      secretsWith().get('shared', 'A'),
      'SERVICE_UNAVAILABLE',
      /in the system keychain, which/,
    );
    const lost = secretsWith({}, keychainInMemory());
    const empty = await assertFails(
      lost.set('shared', 'A', 'new value'),
      'SERVICE_UNAVAILABLE',
      /has no entry "master-key-/,
    );

    assert.match(gone.hint ?? '', /Unlock the keychain/);
    assert.match(empty.hint ?? '', /restore the keychain/);
    assert.deepEqual(readFileSync(fileOf('shared.json')), before);
    assert.equal(existsSync(fileOf('master.key')), false);
  });

  test('rotation with the keychain leaves one entry, and an error of the keychain in between loses nothing', async () => {
    const entries = new Map<string, string>();
    const keychain = keychainInMemory(entries);
    await secretsWith({}, keychain).set('shared', 'A', 'value of A');

    for (const failing of [1, 2]) {
      let writes = 0;
      const set: Keychain['set'] = (account, value) => (++writes === failing ? refuse() : keychain.set(account, value));
      await assertFails(secretsWith({}, { ...keychain, set }).rotate(), 'SERVICE_UNAVAILABLE', /keychain/);
      assert.equal(await secretsWith({}, keychain).get('shared', 'A'), 'value of A');
    }
    await secretsWith({}, keychain).rotate();

    assert.equal(await secretsWith({}, keychain).get('shared', 'A'), 'value of A');
    assert.deepEqual(
      [...entries.values()].map((value) => Buffer.from(value, 'base64').length),
      [32],
    );
  });

  test('a key file that is missing, damaged or of another store is an error, and never replaced', async () => {
    await secretsWith().set('shared', 'A', 'value of A');
    const key = readFileSync(fileOf('master.key'));

    for (const [content, words] of [
      [undefined, /master\.key is missing/],
      [key.subarray(1), /master\.key is damaged/],
      [Buffer.alloc(32, 7), /master\.key is not the one the secrets were stored with/],
    ] as const) {
      rmSync(fileOf('master.key'));
      if (content) writeFileSync(fileOf('master.key'), content, { mode: 0o600 });
      await assertFails(secretsWith().get('shared', 'A'), 'SERVICE_UNAVAILABLE', words);
      await assertFails(secretsWith().set('shared', 'B', 'value'), 'SERVICE_UNAVAILABLE', words);
      writeFileSync(fileOf('master.key'), key, { mode: 0o600 });
    }

    assert.equal(await secretsWith().get('shared', 'A'), 'value of A');
  });

  test('without its record a store with a key file still works, and the next change restores the record', async () => {
    await secretsWith().set('shared', 'A', 'value of A');
    rmSync(fileOf('provider.json'));
    const secrets = secretsWith({}, keychainInMemory());

    assert.equal(await secrets.get('shared', 'A'), 'value of A');
    await secrets.set('shared', 'B', 'value of B');

    assert.equal(JSON.parse(readFileSync(fileOf('provider.json'), 'utf8')).provider, 'file');
    assert.equal(await secretsWith().get('shared', 'B'), 'value of B');
  });

  test('secrets without record and key get no new key', async () => {
    await secretsWith().set('shared', 'A', 'value of A');
    renameSync(fileOf('provider.json'), join(home, 'provider.json'));
    renameSync(fileOf('master.key'), join(home, 'master.key'));

    await assertFails(secretsWith().get('shared', 'A'), 'SERVICE_UNAVAILABLE', /provider\.json is missing/);
    await assertFails(secretsWith().set('server/x', 'A', 'value'), 'SERVICE_UNAVAILABLE', /provider\.json is missing/);

    assert.deepEqual(readdirSync(fileOf('')), ['shared.json']);
  });

  test('a damaged record is an error that names it', async () => {
    await secretsWith().set('shared', 'A', 'value of A');

    for (const bad of ['', '{}', '{"v":1,"provider":"x","keys":[{"id":"a"}]}', '{"v":1,"provider":"file","keys":[]}']) {
      writeFileSync(fileOf('provider.json'), bad);
      await assertFails(secretsWith().set('shared', 'B', 'value'), 'SERVICE_UNAVAILABLE', /provider\.json is damaged/);
    }
  });
});
