import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLog } from '../../../tests/support/operation-context.ts';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { systemClock } from '../../lib/clock.ts';
import type { KnownSession } from '../ports.ts';
import { announce } from './announce.ts';
import { createAnnouncedRepositories } from './announced-repositories.ts';

const SESSION = { tmux: '/tmp/tmux-1/default,42,0', pane: '%3' };

test('a repository in which the command was used is noted once, and again when it is used later', async (context) => {
  const { home, repository, files, collect, noted } = world(context);
  const folder = repository('a');

  const first = [announce(home, { folder, session: SESSION }), await collect(), await collect()];
  const again = [announce(home, { folder, session: SESSION }), await collect()];
  const [file = ''] = files();
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(file, later, later);
  const muchLater = await collect();

  assert.deepEqual(first, [true, 1, 0]);
  assert.deepEqual([again, muchLater], [[true, 0], 1]);
  assert.deepEqual(noted, Array(2).fill([folder, SESSION]));
  assert.equal(files().length, 1);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a file that was not touched for a day is deleted once it was noted', async (context) => {
  const { home, repository, files, collect, noted } = world(context);
  announce(home, { folder: repository('a') });
  const [file = ''] = files();
  writeFileSync(`${file}.7.partial`, '{');
  const before = new Date(Date.now() - 25 * 3_600_000);
  for (const path of files()) utimesSync(path, before, before);

  await collect();

  assert.deepEqual([files(), noted.length], [[], 1]);
});

test('nothing is created without a home, or in one that others can write to', (context) => {
  const { home, repository } = world(context);
  const folder = repository('a');
  const missing = join(home, 'none');

  const withoutHome = announce(missing, { folder });
  chmodSync(join(home, 'run'), 0o770);
  const withOpenHome = announce(home, { folder });

  assert.deepEqual([withoutHome, withOpenHome, existsSync(missing)], [false, false, false]);
  assert.deepEqual(readdirSync(join(home, 'run')), []);
});

test('attack: a file that names no repository, or is none of ours, is not noted', async (context) => {
  const { home, folder: root, repository, collect, noted } = world(context);
  const folder = repository('a');
  mkdirSync(join(root, 'plain', '.agentmail'), { recursive: true });
  announce(home, { folder });
  const announced = join(home, 'run', 'agentmail');
  const put = (digit: string, content: unknown) =>
    writeFileSync(join(announced, `${digit.repeat(64)}.json`), JSON.stringify(content));

  put('1', { folder: join(root, 'plain', '.agentmail') });
  put('2', { folder: join(root, 'a') });
  put('3', { folder: 'a/.agentmail' });
  put('4', { folder, session: { tmux: 'x', pane: '%1; kill-server' } });
  put('5', { folder, session: '%1' });
  put('6', 'x'.repeat(20_000));
  writeFileSync(join(announced, `${'7'.repeat(64)}.json`), '{"folder":');
  symlinkSync('/dev/zero', join(announced, `${'8'.repeat(64)}.json`));

  assert.equal(await collect(), 1);
  assert.deepEqual(noted, [[folder, undefined]]);
});

test('a home that was removed is not made again', (context) => {
  const { home, listen } = world(context);
  rmSync(home, { recursive: true });

  listen(() => {})();

  assert.equal(existsSync(home), false);
});

function world(context: TestContext) {
  const folder = temporaryFolder((end) => context.after(end));
  const home = join(folder, 'home');
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
  const noted: [string, KnownSession | undefined][] = [];
  const repositories = { note: async (path: string, session?: KnownSession) => void noted.push([path, session]) };
  const { collect, listen } = createAnnouncedRepositories({ home, repositories, clock: systemClock, log: silentLog });
  const announced = join(home, 'run', 'agentmail');
  return {
    folder,
    home,
    collect,
    listen,
    noted,
    files: () => readdirSync(announced).map((name) => join(announced, name)),
    /** The mail folder of a new repository. */
    repository(name: string): string {
      mkdirSync(join(folder, name, '.git'), { recursive: true });
      return join(folder, name, '.agentmail');
    },
  };
}
