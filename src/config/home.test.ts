import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ensureHome, homeOf } from './home.ts';

describe('the location of the home', () => {
  const cases: [what: string, env: Record<string, string>, home: string][] = [
    ['in the user’s home', { HOME: '/home/alice' }, '/home/alice/.switchboard'],
    ['in the home of the OS account without HOME', {}, join(userInfo().homedir, '.switchboard')],
    ['in the home of the OS account if HOME is empty', { HOME: '' }, join(userInfo().homedir, '.switchboard')],
    ['at the path in SWITCHBOARD_HOME', { HOME: '/home/alice', SWITCHBOARD_HOME: '/srv/sb/' }, '/srv/sb'],
    ['below the working directory for a relative path', { SWITCHBOARD_HOME: 'sb' }, resolve('sb')],
    ['below the user’s home for a tilde', { HOME: '/home/alice', SWITCHBOARD_HOME: '~/sb' }, '/home/alice/sb'],
    [
      'at the default path when the variable is empty',
      { HOME: '/home/alice', SWITCHBOARD_HOME: '' },
      '/home/alice/.switchboard',
    ],
  ];
  for (const [what, env, home] of cases) {
    test(what, () => {
      const found = homeOf(env);

      assert.equal(found, home);
    });
  }
});

describe('the folders of the home', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-home-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

  test('are created with access for the owner alone, and a second call changes nothing', () => {
    const home = join(folder, 'deep', 'home');

    ensureHome(home);
    ensureHome(home);

    assert.deepEqual([home, ...['run', 'logs', 'secrets'].map((name) => join(home, name))].map(modeOf), [
      '700',
      '700',
      '700',
      '700',
    ]);
  });

  test('lose the access of other users', () => {
    mkdirSync(join(folder, 'secrets'));
    chmodSync(join(folder, 'secrets'), 0o755);
    chmodSync(folder, 0o755);

    ensureHome(folder);

    assert.deepEqual([modeOf(folder), modeOf(join(folder, 'secrets'))], ['700', '700']);
  });

  test('may be links to folders', () => {
    mkdirSync(join(folder, 'disk'));
    symlinkSync(join(folder, 'disk'), join(folder, 'home'));

    ensureHome(join(folder, 'home'));

    assert.ok(existsSync(join(folder, 'disk', 'run')));
  });

  test('a sticky folder such as /tmp is left unchanged', () => {
    chmodSync(folder, 0o1777);

    ensureHome(folder);

    assert.equal(modeOf(folder), '1777');
  });

  test('a file at the path of a folder is a clear error', () => {
    writeFileSync(join(folder, 'home'), '');

    assert.throws(() => ensureHome(join(folder, 'home')), {
      code: 'CONFLICT',
      message: `The folder ${join(folder, 'home')} cannot be made: a file of this name is there.`,
    });
    assert.throws(() => ensureHome(join(folder, 'home', 'sub')), {
      code: 'CONFLICT',
      message: /a part of its path is a file/,
    });
  });

  test('a home of another user is a clear error', () => {
    const somebodyElse = (process.getuid?.() ?? 0) + 1;

    assert.throws(() => ensureHome(folder, somebodyElse), {
      code: 'FORBIDDEN',
      message: `The folder ${folder} belongs to another user.`,
      hint: 'SWITCHBOARD_HOME can name another folder.',
    });
  });

  test('a folder without write permission is a clear error', () => {
    chmodSync(folder, 0o500);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);

    try {
      assert.throws(() => ensureHome(join(folder, 'home')), {
        code: 'FORBIDDEN',
        message: /the permission is missing\.$/,
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
