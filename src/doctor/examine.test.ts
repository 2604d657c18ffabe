import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { AppError } from '../domain/errors.ts';
import { ok } from '../domain/finding.ts';
import { examine, type Probes } from './examine.ts';
import { examineHome } from './files.ts';

const folder = temporaryFolder(after);

const WELL: Probes = {
  home: join(folder, 'none'),
  versions: { node: '24.1.0', program: '1.0.0' },
  config: async () => ({ file: null, warnings: [], plainSecrets: [], isOpenToOthers: false, tokens: 0 }),
  store: async () => undefined,
  secrets: async () => 'encrypted',
  daemon: async () => undefined,
  declared: [{ check: 'sources', examine: async () => [ok('sources', 'None is configured.')] }],
};

/** The findings that are not ok, in short. */
async function troubles(probes: Partial<Probes>) {
  const findings = await examine({ ...WELL, ...probes });
  return findings
    .filter(({ state }) => state !== 'ok')
    .map(({ check, state, says, mend }) => [check, state, says, mend]);
}

describe('doctor', () => {
  test('reports no problem on a new machine without a store', async () => {
    const findings = await examine(WELL);

    assert.deepEqual(
      findings.map(({ check }) => check),
      ['node', 'home', 'config', 'tokens', 'store', 'secrets', 'daemon', 'sources', 'disk'],
    );
    assert.deepEqual(await troubles({}), []);
  });

  test('reports how to fix an old Node, unencrypted secrets and a guessable token', async () => {
    const found = await troubles({
      versions: { node: '22.9.0', program: '1.0.0' },
      config: async () => ({
        file: '/x/config.yaml',
        warnings: ['chat.old is not used'],
        plainSecrets: ['claude.api_key'],
        isOpenToOthers: true,
        ownerToken: 5,
        tokens: 0,
      }),
    });

    assert.deepEqual(
      found.map(([check, state, says]) => [check, state, says]),
      [
        ['node', 'broken', 'Node 22.9.0 is too old.'],
        ['config', 'warning', 'chat.old is not used'],
        ['config', 'warning', 'claude.api_key stands in the file as it is.'],
        ['config', 'warning', 'Other users of this machine can change the file.'],
        ['tokens', 'warning', 'auth.token is so short that it can be guessed.'],
      ],
    );
    assert(found.every(([, , , mend]) => mend !== undefined));
  });

  test('reports the failures of each probe and continues with the next', async () => {
    const failing = (hint?: string) => async () => {
      throw new AppError('CONFLICT', 'Something is wrong.', { hint });
    };

    const found = await troubles({
      config: failing(),
      store: failing('Put a backup in its place.'),
      secrets: failing('Unlock the keychain.'),
      daemon: async () => {
        throw new Error('a bug');
      },
    });

    assert.deepEqual(found, [
      ['config', 'broken', 'Something is wrong.', '`switchboard config validate` checks it again.'],
      ['store', 'broken', 'Something is wrong.', 'Put a backup in its place.'],
      ['secrets', 'broken', 'Something is wrong.', 'Unlock the keychain.'],
      ['daemon', 'broken', 'It could not be looked at.', undefined],
    ]);
  });

  test('reports a damaged store as broken, and a store with pending migrations as ok', async () => {
    const store = { location: '/x.db', schema: 1, newest: 2, problems: ['a page is lost'] };

    const damaged = await troubles({ store: async () => store });
    const older = await examine({ ...WELL, store: async () => ({ ...store, problems: [] }) });

    assert.deepEqual(damaged[0]?.slice(0, 3), ['store', 'broken', '/x.db\na page is lost']);
    assert.match(older.find(({ check }) => check === 'store')?.says ?? '', /schema 1; it is brought to 2/);
  });

  test('warns about a daemon of another version', async () => {
    const daemon = { version: '0.9.0', pid: 7, kind: 'serve', url: 'http://127.0.0.1:3000' };

    const [found] = await troubles({ daemon: async () => daemon });

    assert.deepEqual(found?.slice(0, 2), ['daemon', 'warning']);
    assert.deepEqual(await troubles({ daemon: async () => ({ ...daemon, version: '1.0.0' }) }), []);
  });

  test('a home that other users can access is reported with the command that restricts it', async () => {
    const home = join(folder, 'open');
    mkdirSync(join(home, 'secrets'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'switchboard.db'), '', { mode: 0o600 });
    chmodSync(join(home, 'secrets'), 0o755);
    chmodSync(join(home, 'switchboard.db'), 0o644);

    const found = await examineHome(home);

    assert.deepEqual(
      found.map(({ state, mend }) => [state, mend]),
      [
        ['warning', `chmod 700 '${home}/secrets'`],
        ['warning', `chmod 600 '${home}/switchboard.db'`],
      ],
    );
  });

  test('a home that is a file, or is owned by another user, is broken', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');

    const [isFile] = await examineHome(file);
    const foreign = await examineHome(folder, -1);

    assert.deepEqual([isFile?.state, foreign.map(({ state }) => state)], ['broken', ['broken']]);
  });

  test('a home that does not exist is broken where it cannot be made', async () => {
    const file = join(folder, 'in-the-way');
    writeFileSync(file, '');

    const [possible] = await examineHome(join(folder, 'one', 'two'));
    const [impossible] = await examineHome(join(file, 'home'));

    assert.equal(possible?.state, 'ok');
    assert.deepEqual(
      [impossible?.state, impossible?.says],
      ['broken', `${file}/home cannot be made: ${file} is not a folder that this user may write to.`],
    );
  });
});
