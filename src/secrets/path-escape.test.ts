import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { assertFails, secretsIn } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { fileOfGroup, groupOfFile, parseGroup } from './names.ts';

const hostileIds = [
  '..',
  '../..',
  '../../etc/passwd',
  '.',
  './x',
  '/etc/passwd',
  'a/b',
  'a\\b',
  '%2e%2e',
  '~',
  '-rf',
  'CON',
  'ﬀ',
  '🙂',
  'é',
  'a\'b"c',
  '$(x)',
  'x.json',
  'x.tmp',
  '*',
];
const anyId = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((id) => {
  try {
    return parseGroup(`server/${id}`) !== undefined;
  } catch {
    return false;
  }
});

describe('names that attempt to escape the folder', () => {
  test('hostile ids are stored inside the folder, each in its own file with its own values', async (context) => {
    const parent = temporaryFolder(context.after.bind(context));
    const secrets = secretsIn(join(parent, 'home'));

    for (const id of hostileIds) await secrets.set(`server/${id}`, 'TOKEN', `value of ${id}`);

    const values = await Promise.all(hostileIds.map((id) => secrets.get(`server/${id}`, 'TOKEN')));
    assert.deepEqual(
      values,
      hostileIds.map((id) => `value of ${id}`),
    );
    assert.deepEqual(readdirSync(parent), ['home']);
    assert.deepEqual(readdirSync(join(parent, 'home')), ['secrets']);
    assert.equal(readdirSync(join(parent, 'home', 'secrets')).length, hostileIds.length + 2);
  });

  test('a NUL, a line end or half a character in a group is refused', async (context) => {
    const secrets = secretsIn(temporaryFolder(context.after.bind(context)));

    for (const id of ['a\0b', 'a\nb', '\x1b[2J', '\ud800']) {
      await assertFails(secrets.get(`server/${id}`, 'TOKEN'), 'VALIDATION_ERROR', /control character/);
    }
  });

  test('a file name has safe characters only, maps back to its group, and is unique on any file system', () => {
    fc.assert(
      fc.property(anyId, anyId, (one, other) => {
        const [group, otherGroup] = [parseGroup(`server/${one}`), parseGroup(`server/${other}`)];
        const file = fileOfGroup(group);

        assert.match(file, /^server%2f[a-z0-9%-]+\.json$/);
        assert(file.length <= 255);
        assert.equal(groupOfFile(file), group);
        assert.equal(file.toUpperCase() === fileOfGroup(otherGroup).toUpperCase(), one === other);
      }),
    );
  });

  test('other files in the folder belong to no group', () => {
    const files = [
      'provider.json',
      'master.key',
      '.DS_Store',
      'shared.json.bak',
      'SHARED.json',
      'server%2FX.json',
      '%zz.json',
      '',
      '.json',
    ];

    assert.deepEqual(files.filter(groupOfFile), []);
  });
});
