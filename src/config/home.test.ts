import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ensureHome, homeOf } from './home.ts';

describe('where the home is', () => {
  const cases: [what: string, env: Record<string, string>, home: string][] = [
    ['in the user’s home', { HOME: '/home/alice' }, '/home/alice/.switchboard'],
    ['in the home that the system knows', {}, join(homedir(), '.switchboard')],
    ['where SWITCHBOARD_HOME says', { HOME: '/home/alice', SWITCHBOARD_HOME: '/srv/sb/' }, '/srv/sb'],
    ['below the working folder when that is relative', { SWITCHBOARD_HOME: 'sb' }, resolve('sb')],
    ['below the user’s home for a tilde', { HOME: '/home/alice', SWITCHBOARD_HOME: '~/sb' }, '/home/alice/sb'],
    ['as usual when the variable is empty', { HOME: '/home/alice', SWITCHBOARD_HOME: '' }, '/home/alice/.switchboard'],
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

  test('are made for the owner alone, and nothing happens the second time', () => {
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

  test('are closed to others when they were open', () => {
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

  test('a folder that is everybody’s stays as it is', () => {
    chmodSync(folder, 0o1777);

    ensureHome(folder);

    assert.equal(modeOf(folder), '1777');
  });

  test('a file in the way is a clear error', () => {
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

  test('a home of somebody else is a clear error', () => {
    const somebodyElse = (process.getuid?.() ?? 0) + 1;

    assert.throws(() => ensureHome(folder, somebodyElse), {
      code: 'FORBIDDEN',
      message: `The folder ${folder} belongs to another user.`,
      hint: 'SWITCHBOARD_HOME can name another folder.',
    });
  });

  test('a folder that may not be written to is a clear error', () => {
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
