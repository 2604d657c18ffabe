import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { assertFails, keychainInMemory } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { openSecrets } from './store.ts';

let home: string;

beforeEach((context) => {
  const { after } = context as TestContext;
  home = temporaryFolder(after.bind(context));
});

const recordOf = () => JSON.parse(readFileSync(join(home, 'secrets', 'provider.json'), 'utf8'));

function secretsWith(env: Record<string, string>) {
  return openSecrets({ home, env, keychain: keychainInMemory(), log: silentLog, clock: manualClock() });
}

describe('secrets behind a passphrase', () => {
  test('the passphrase is not stored, opens the secrets as variable or file, and is masked', async () => {
    const secrets = secretsWith({ SWITCHBOARD_PASSPHRASE: 'correct horse battery' });
    await secrets.set('shared', 'A', 'value of A');
    const file = join(home, 'passphrase');
    writeFileSync(file, 'correct horse battery\n');

    const value = await secretsWith({ SWITCHBOARD_PASSPHRASE_FILE: file }).get('shared', 'A');

    assert.equal(value, 'value of A');
    assert.equal(await secrets.describe(), 'encrypted with a passphrase, which is stored nowhere');
    assert.equal(secrets.masker.mask('was correct horse battery'), 'was [secret]');
    assert.deepEqual(readdirSync(join(home, 'secrets')).sort(), ['provider.json', 'shared.json']);
    const [{ derivation }] = recordOf().keys;
    assert.deepEqual([derivation.n, derivation.r, derivation.p], [2 ** 17, 8, 1]);
    assert.equal(Buffer.from(derivation.salt, 'base64').length, 16);
  });

  test('a wrong passphrase, or none, opens nothing and stores nothing', async () => {
    await secretsWith({ SWITCHBOARD_PASSPHRASE: 'correct horse battery' }).set('shared', 'A', 'value of A');
    const wrong = secretsWith({ SWITCHBOARD_PASSPHRASE: 'another passphrase' });

    await assertFails(wrong.get('shared', 'A'), 'SERVICE_UNAVAILABLE', /passphrase is not the one/);
    await assertFails(wrong.set('server/x', 'B', 'value'), 'SERVICE_UNAVAILABLE', /passphrase is not the one/);
    const none = await assertFails(secretsWith({}).get('shared', 'A'), 'SERVICE_UNAVAILABLE', /none was given/);

    assert.match(none.hint ?? '', /SWITCHBOARD_PASSPHRASE or SWITCHBOARD_PASSPHRASE_FILE/);
    assert.deepEqual(readdirSync(join(home, 'secrets')).sort(), ['provider.json', 'shared.json']);
  });

  test('rotation uses a new salt, and an interrupted one is completed', async () => {
    const env = { SWITCHBOARD_PASSPHRASE: 'correct horse battery' };
    await secretsWith(env).set('shared', 'A', 'value of A');
    const before = recordOf();

    await secretsWith(env).rotate();
    const after = recordOf();
    const path = join(home, 'secrets', 'provider.json');
    writeFileSync(path, JSON.stringify({ ...after, keys: [...before.keys, ...after.keys] }));

    assert.notEqual(after.keys[0].derivation.salt, before.keys[0].derivation.salt);
    assert.equal(await secretsWith(env).get('shared', 'A'), 'value of A');
    assert.deepEqual(recordOf(), after);
  });

  test('one that is empty, short, set twice or in a missing file is refused, and nothing is stored', async () => {
    const refusals: [Record<string, string>, RegExp][] = [
      [{ SWITCHBOARD_PASSPHRASE: '' }, /fewer than 8 characters/],
      [{ SWITCHBOARD_PASSPHRASE: '1234567' }, /fewer than 8 characters/],
      [{ SWITCHBOARD_PASSPHRASE: 'long enough', SWITCHBOARD_PASSPHRASE_FILE: '/x' }, /both set/],
      [{ SWITCHBOARD_PASSPHRASE_FILE: join(home, 'none') }, /cannot be read/],
    ];

    for (const [env, words] of refusals) {
      await assertFails(secretsWith(env).set('shared', 'A', 'value'), 'VALIDATION_ERROR', words);
    }

    assert.deepEqual(readdirSync(join(home, 'secrets')), []);
  });

  test('a record that requires excessive memory counts as damaged', async () => {
    await secretsWith({ SWITCHBOARD_PASSPHRASE: 'correct horse battery' }).set('shared', 'A', 'value of A');
    const { keys, ...record } = recordOf();
    const [{ id, derivation }] = keys;
    const greedy = { ...record, keys: [{ id, derivation: { ...derivation, n: 2 ** 30 } }] };
    writeFileSync(join(home, 'secrets', 'provider.json'), JSON.stringify(greedy));

    const reading = secretsWith({ SWITCHBOARD_PASSPHRASE: 'correct horse battery' }).get('shared', 'A');

    await assertFails(reading, 'SERVICE_UNAVAILABLE', /provider\.json is damaged/);
  });
});
