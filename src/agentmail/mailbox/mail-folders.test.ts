import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { mailFoldersFor } from './mail-folders.ts';

function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', '-c', 'protocol.file.allow=always'];
  execFileSync('git', ['-C', folder, ...identity, ...args], { stdio: 'pipe' });
}

/** A repository `main` with a linked worktree `linked`. */
function repository(): { folder: string; main: string; linked: string } {
  const folder = realpathSync(temporaryFolder(after));
  const [main, linked] = [join(folder, 'main'), join(folder, 'linked')];
  mkdirSync(main);
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'first');
  git(main, 'worktree', 'add', '-q', linked);
  return { folder, main, linked };
}

describe('the mail folder', () => {
  test('does not exist outside a Git repository', () => {
    const mailFolders = mailFoldersFor(temporaryFolder(after));

    assert.equal(mailFolders, undefined);
  });

  test('is at the root, from every folder below', () => {
    const { main } = repository();
    mkdirSync(join(main, 'deep', 'down'), { recursive: true });

    const mailFolders = mailFoldersFor(join(main, 'deep', 'down'));

    assert.equal(mailFolders?.main, join(main, '.agentmail'));
    assert.deepEqual(mailFolders?.read, [join(main, '.agentmail')]);
  });

  test('is that of the main worktree for all worktrees', () => {
    const { main, linked } = repository();

    const mailFolders = mailFoldersFor(linked);

    assert.deepEqual(
      [mailFolders?.main, ...(mailFolders?.read ?? [])],
      [join(main, '.agentmail'), join(main, '.agentmail')],
    );
    assert.equal(mailFolders?.forFolder(linked), join(main, '.agentmail'));
  });

  test('of a linked worktree is used too by agents in that worktree', () => {
    const { main, linked } = repository();
    mkdirSync(join(linked, '.agentmail'));

    const [here, there] = [mailFoldersFor(linked), mailFoldersFor(main)];

    assert.deepEqual(here?.read, [join(main, '.agentmail'), join(linked, '.agentmail')]);
    assert.deepEqual(there?.read, [join(main, '.agentmail')]);
    assert.equal(there?.forFolder(join(linked)), join(linked, '.agentmail'));
    assert.equal(there?.forFolder(main), join(main, '.agentmail'));
    assert.equal(there?.forFolder(undefined), join(main, '.agentmail'));
  });

  test('is ignored in a linked worktree if it is a symbolic link', () => {
    const { main, linked } = repository();
    symlinkSync(join(main, '.agentmail'), join(linked, '.agentmail'));

    const mailFolders = mailFoldersFor(linked);

    assert.deepEqual(mailFolders?.read, [join(main, '.agentmail')]);
  });

  test('is never in another repository', () => {
    const [one, other] = [repository(), repository()];
    mkdirSync(join(other.linked, '.agentmail'));

    const place = mailFoldersFor(one.main)?.forFolder(other.linked);

    assert.equal(place, join(one.main, '.agentmail'));
  });

  test('is in the folder of a bare repository, for all its worktrees', () => {
    const { folder, main } = repository();
    const [bare, one, two] = ['bare.git', 'one', 'two'].map((name) => join(folder, name)) as [string, string, string];
    git(folder, 'clone', '-q', '--bare', main, bare);
    for (const tree of [one, two]) git(bare, 'worktree', 'add', '-q', '--detach', tree);

    const mailFolders = [one, two].map((tree) => mailFoldersFor(tree)?.main);

    assert.deepEqual(mailFolders, [join(bare, '.agentmail'), join(bare, '.agentmail')]);
  });

  test('of a submodule is its own, shared by its worktrees', () => {
    const { folder, main } = repository();
    const outer = join(folder, 'outer');
    mkdirSync(outer);
    git(outer, 'init', '-q');
    git(outer, 'submodule', '-q', 'add', main, 'inner');
    const inner = join(outer, 'inner');
    git(inner, 'worktree', 'add', '-q', join(folder, 'inner-linked'));

    const mailFolders = [inner, join(folder, 'inner-linked'), outer].map((tree) => mailFoldersFor(tree)?.main);

    assert.deepEqual(mailFolders, [join(inner, '.agentmail'), join(inner, '.agentmail'), join(outer, '.agentmail')]);
  });
});
