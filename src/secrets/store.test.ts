import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { assertFails, secretsIn } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { isPrivateFolder } from './private-files.ts';
import { openSecrets, type Secrets } from './store.ts';

const anyName = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'v', 'items'),
);
const anyValue = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const anyGroup = fc.oneof(
  fc.constant('shared'),
  fc
    .tuple(fc.constantFrom('server', 'oauth', 'source', 'account'), fc.string({ minLength: 1, maxLength: 64 }))
    .map(([kind, id]) => `${kind}/${id}`),
);

let home: string;
let secrets: Secrets;
const fileOf = (file: string) => join(home, 'secrets', file);

beforeEach((test) => {
  const onEnd = 'after' in test ? test.after.bind(test) : () => {};
  home = join(temporaryFolder(onEnd), 'home');
  secrets = secretsIn(home);
});

describe('the secrets store', () => {
  test('every value is read back as it was set, under any name and in any group', async () => {
    await fc.assert(
      fc.asyncProperty(anyGroup, anyName, anyValue, async (group, name, value) => {
        await secrets.set(group, name, value);

        assert.equal(await secretsIn(home).get(group, name), value);
      }),
      { numRuns: 60 },
    );
  });

  test('opening, reading and resolving create nothing where nothing is stored', async () => {
    const answers = [
      await secrets.get('shared', 'TOKEN'),
      await secrets.list(),
      await secrets.delete('shared', 'TOKEN'),
      await secrets.deleteGroup('server/github'),
      await secrets.rotate(),
      await secrets.provider(),
      await secrets.describe(),
    ];
    await assertFails(secrets.resolve(`\${secret:TOKEN}`), 'VALIDATION_ERROR', /TOKEN/);

    const nothingYet = 'none yet; the first one decides where the key is stored';
    assert.deepEqual(answers, [undefined, [], false, false, { secrets: 0 }, undefined, nothingYet]);
    assert.equal(existsSync(home), false);
  });

  test('the description of the key changes with the first secret', async () => {
    const before = await secrets.describe();

    await secrets.set('shared', 'TOKEN', 'a value that is long enough');

    assert.match(before, /^none yet/);
    assert.match(await secrets.describe(), /^encrypted/);
  });

  test('HOST-13 each group is a separate file that only the owner can read, in a folder with the same restriction', async () => {
    for (const group of ['shared', 'server/github', 'oauth/github', 'source/libera', 'account/work']) {
      await secrets.set(group, 'TOKEN', 'a value that is long enough');
    }

    const modes = readdirSync(fileOf('')).map((file) => [file, statSync(fileOf(file)).mode & 0o777]);
    assert.deepEqual(modes.sort(), [
      ['account%2fwork.json', 0o600],
      ['master.key', 0o600],
      ['oauth%2fgithub.json', 0o600],
      ['provider.json', 0o600],
      ['server%2fgithub.json', 0o600],
      ['shared.json', 0o600],
      ['source%2flibera.json', 0o600],
    ]);
    assert.equal(statSync(fileOf('')).mode & 0o777, 0o700);
    for (const [file] of modes) assert.doesNotMatch(readFileSync(fileOf(String(file)), 'latin1'), /long enough/);
  });

  test('names are listed with the timestamp of their change, values never', async () => {
    const clock = manualClock();
    const listed = openSecrets({ home, env: { SWITCHBOARD_SECRETS_PROVIDER: 'file' }, log: silentLog, clock });
    await listed.set('shared', 'B', 'first value');
    clock.advance(1000);
    await listed.set('server/x', 'C', 'second value');
    await listed.set('shared', 'A', 'third value');

    assert.deepEqual(await listed.list(), [
      { group: 'server/x', name: 'C', updated: '2030-01-01T00:00:01.000Z' },
      { group: 'shared', name: 'A', updated: '2030-01-01T00:00:01.000Z' },
      { group: 'shared', name: 'B', updated: '2030-01-01T00:00:00.000Z' },
    ]);
    assert.deepEqual(await listed.list('server/x'), [
      { group: 'server/x', name: 'C', updated: '2030-01-01T00:00:01.000Z' },
    ]);
  });

  test('a deleted secret is removed, and the last of a group removes its file', async () => {
    await secrets.set('server/x', 'A', 'value of A');
    await secrets.set('server/x', 'B', 'value of B');

    assert.equal(await secrets.delete('server/x', 'A'), true);
    assert.equal(await secrets.delete('server/x', 'A'), false);
    assert.deepEqual(
      [await secrets.get('server/x', 'A'), await secrets.get('server/x', 'B')],
      [undefined, 'value of B'],
    );
    assert.equal(await secrets.delete('server/x', 'B'), true);
    assert.equal(existsSync(fileOf('server%2fx.json')), false);
  });

  test('a group is deleted as a whole, and the others are unchanged', async () => {
    await secrets.set('server/x', 'A', 'value of A');
    await secrets.set('server/y', 'A', 'another value');

    const deleted = await secrets.deleteGroup('server/x');

    assert.equal(deleted, true);
    assert.deepEqual(
      [await secrets.get('server/x', 'A'), await secrets.get('server/y', 'A')],
      [undefined, 'another value'],
    );
  });

  test('concurrent calls in one process lose nothing', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `NAME_${index}`);

    await Promise.all(names.map((name) => secrets.set('shared', name, `value of ${name}`)));

    const values = await Promise.all(names.map((name) => secrets.get('shared', name)));
    assert.deepEqual(
      values,
      names.map((name) => `value of ${name}`),
    );
  });

  test('an invalid name, value or group is refused with its field, and nothing is created', async () => {
    const refusals: [string, string, string, string][] = [
      ['shared', '', 'value', 'name'],
      ['shared', '1ST', 'value', 'name'],
      ['shared', 'A B', 'value', 'name'],
      ['shared', 'A'.repeat(129), 'value', 'name'],
      ['shared', 'A', '', 'value'],
      ['shared', 'A', '\ud800', 'value'],
      ['shared', 'A', 'ü'.repeat(32_769), 'value'],
      ['elsewhere', 'A', 'value', 'group'],
      ['server/', 'A', 'value', 'group'],
      [`server/${'x'.repeat(65)}`, 'A', 'value', 'group'],
      ['server/a\nb', 'A', 'value', 'group'],
    ];
    for (const [group, name, value, field] of refusals) {
      const code = value.length > 1000 ? 'TOO_LARGE' : 'VALIDATION_ERROR';
      const error = await assertFails(secrets.set(group, name, value), code, /./);
      assert.equal(error.field, field);
    }

    assert.equal(existsSync(home), false);
  });

  test('64 KiB is the maximum length of a value', async () => {
    const longest = 'x'.repeat(65_536);
    await secrets.set('shared', 'LONG', longest);

    assert.equal(await secrets.get('shared', 'LONG'), longest);
  });
});

describe('secrets that other users could read', () => {
  for (const [file, mode, wanted] of [
    ['', 0o750, '700'],
    ['', 0o701, '700'],
    ['master.key', 0o640, '600'],
    ['provider.json', 0o604, '600'],
    ['shared.json', 0o644, '600'],
  ] as const) {
    test(`${file || 'the folder'} with mode ${mode.toString(8)} is refused with the command that restricts it`, async () => {
      await secrets.set('shared', 'TOKEN', 'a value');
      chmodSync(fileOf(file), mode);

      const read = await assertFails(
        secretsIn(home).get('shared', 'TOKEN'),
        'SERVICE_UNAVAILABLE',
        /can be read by other users/,
      );
      await assertFails(
        secretsIn(home).set('shared', 'OTHER', 'value'),
        'SERVICE_UNAVAILABLE',
        /can be read by other users/,
      );

      assert.match(read.hint ?? '', new RegExp(`^chmod ${wanted} '${join(home, 'secrets', file)}'`));
    });
  }

  test('a folder of another user is refused', async (context) => {
    const folder = temporaryFolder(context.after.bind(context));
    if (process.getuid?.() === 0) chownSync(folder, 65534, 65534);
    const foreign = process.getuid?.() === 0 ? folder : '/';

    const error = await assertFails(isPrivateFolder(foreign), 'SERVICE_UNAVAILABLE', /belongs to another user/);

    assert.match(error.hint ?? '', /^chown .* && chmod 700/);
  });
});

describe('a damaged or forged file', () => {
  test('with any byte changed returns the right value, none, or an error that names the file: never a wrong value', async () => {
    await secrets.set('shared', 'TOKEN', 'the right value');
    await secrets.set('shared', 'OTHER', 'another value');
    const path = fileOf('shared.json');
    const good = readFileSync(path);

    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bad = Buffer.from(good);
        bad[at] = (bad[at] ?? 0) ^ flip;
        writeFileSync(path, bad);

        const value = await secrets.get('shared', 'TOKEN').catch((error: unknown) => {
          assert.match(String(error), /shared\.json/);
        });

        assert([undefined, 'the right value'].includes(value ?? undefined));
      }),
      { numRuns: 400 },
    );
  });

  test('a sealed value moved to another name or group is not decrypted', async () => {
    await secrets.set('shared', 'A', 'value of A');
    await secrets.set('shared', 'B', 'value of B');
    await secrets.set('server/x', 'A', 'value of server x');
    const { v, items } = JSON.parse(readFileSync(fileOf('shared.json'), 'utf8'));

    writeFileSync(fileOf('shared.json'), JSON.stringify({ v, items: { A: items.B, B: items.A } }));
    writeFileSync(fileOf('server%2fx.json'), JSON.stringify({ v, items }));

    for (const [group, name] of [
      ['shared', 'A'],
      ['shared', 'B'],
      ['server/x', 'A'],
    ] as const) {
      await assertFails(secrets.get(group, name), 'SERVICE_UNAVAILABLE', /was modified or is damaged/);
    }
  });

  test('a damaged group is not overwritten, and the others work', async () => {
    await secrets.set('shared', 'TOKEN', 'a value');
    await secrets.set('server/x', 'TOKEN', 'a value of x');
    writeFileSync(fileOf('shared.json'), '{"v":1,"items":');

    await assertFails(secrets.get('shared', 'TOKEN'), 'SERVICE_UNAVAILABLE', /shared\.json is damaged/);
    await assertFails(secrets.set('shared', 'OTHER', 'value'), 'SERVICE_UNAVAILABLE', /shared\.json is damaged/);
    await assertFails(secrets.delete('shared', 'TOKEN'), 'SERVICE_UNAVAILABLE', /shared\.json is damaged/);
    await assertFails(secrets.rotate(), 'SERVICE_UNAVAILABLE', /shared\.json is damaged/);
    await secrets.set('server/x', 'OTHER', 'another value of x');

    assert.equal(readFileSync(fileOf('shared.json'), 'utf8'), '{"v":1,"items":');
    assert.deepEqual(await secrets.get('server/x', 'OTHER'), 'another value of x');
    assert.equal(await secrets.deleteGroup('shared'), true);
  });

  test('a damaged secret can be set again, and does not affect the other secrets', async () => {
    await secrets.set('shared', 'A', 'value of A');
    const { v, items } = JSON.parse(readFileSync(fileOf('shared.json'), 'utf8'));
    writeFileSync(
      fileOf('shared.json'),
      JSON.stringify({ v, items: { A: { ...items.A, tag: Buffer.alloc(16).toString('base64') } } }),
    );
    await secrets.set('shared', 'B', 'value of B');
    await assertFails(secrets.get('shared', 'A'), 'SERVICE_UNAVAILABLE', /secret A in .*shared\.json/);

    await secrets.set('shared', 'A', 'a new value of A');

    assert.deepEqual(
      [await secrets.get('shared', 'A'), await secrets.get('shared', 'B')],
      ['a new value of A', 'value of B'],
    );
  });

  test('a file of a newer version is left unchanged', async () => {
    await secrets.set('shared', 'A', 'value of A');
    writeFileSync(fileOf('shared.json'), '{"v":2,"items":{}}');

    await assertFails(secrets.set('shared', 'A', 'value'), 'SERVICE_UNAVAILABLE', /newer version/);
  });

  test('a file at the path of the folder is an error with its path', async () => {
    mkdirSync(home);
    writeFileSync(fileOf(''), '');

    await assertFails(secrets.set('shared', 'A', 'value'), 'SERVICE_UNAVAILABLE', /secrets is not a folder/);
  });
});
