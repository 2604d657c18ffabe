import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { gitSetting } from './git-config.ts';
import { listFolder, readRepositoryFile, statOf } from './repository-file.ts';

/** A folder with a `.git`, and the main folder that all worktrees of that repository share. */
export interface WorkTree {
  root: string;
  main: string;
}

/** Called with a sentence about a file that was not used. */
export type OnFinding = (finding: string) => void;

/** A `.git` file, `commondir` and `gitdir` contain one path. */
const MAX_PATH_FILE = 16 * 1024;
const MAX_GIT_CONFIG = 1024 * 1024;
const MAX_WORKTREES = 1_000;

/** The work tree that a folder is in; undefined outside of one. */
export function findWorkTree(folder: string, onFinding: OnFinding): WorkTree | undefined {
  for (let root = realFolder(folder); ; root = dirname(root)) {
    const kind = kindOf(join(root, '.git'));
    if (kind) return { root, main: kind === 'file' ? (mainFolder(root, onFinding) ?? root) : root };
    if (dirname(root) === root) return undefined;
  }
}

/** The roots of the linked worktrees of a repository, whose main work tree (or, if bare, whose folder) is `main`. */
export function linkedWorkTrees(main: string, onFinding: OnFinding): string[] {
  return [join(main, '.git'), main].flatMap((git) => {
    const names = listed(join(git, 'worktrees'), git, onFinding);
    return names.flatMap((name) => {
      const gitFolder = join(git, 'worktrees', name);
      const root = namedRoot(gitFolder, onFinding);
      // The worktree has to name this repository, too: otherwise any folder of the user could be named here.
      return root !== undefined && gitFolderOf(root, onFinding) === gitFolder ? [root] : [];
    });
  });
}

/** The folder with Git's files of a work tree, its index among them; undefined if `.git` leads nowhere. */
export function gitFolderOf(root: string, onFinding: OnFinding): string | undefined {
  const git = join(root, '.git');
  const kind = kindOf(git);
  if (kind !== 'file') return kind && git;
  const [line = ''] = (textOf(git, root, MAX_PATH_FILE, onFinding) ?? '').split('\n', 1);
  return line.startsWith('gitdir: ') ? realFolder(resolve(root, line.slice('gitdir: '.length).trimEnd())) : undefined;
}

/** The configuration of a repository, which is in its common folder for a linked worktree. */
export function configOf(gitFolder: string, onFinding: OnFinding): string {
  const folder = commonFolder(gitFolder, onFinding) ?? gitFolder;
  return textOf(join(folder, 'config'), folder, MAX_GIT_CONFIG, onFinding) ?? '';
}

/** The folder that a linked worktree's Git folder shares with the repository; undefined for any other. */
function commonFolder(gitFolder: string, onFinding: OnFinding): string | undefined {
  const named = textOf(join(gitFolder, 'commondir'), gitFolder, MAX_PATH_FILE, onFinding)?.trim();
  return named === undefined || named === '' ? undefined : realFolder(resolve(gitFolder, named));
}

/**
 * Follows a `.git` file to the main work tree. Both have to name each other: a `.git` file alone, which an archive can
 * bring, would join the mail of any repository.
 */
function mainFolder(root: string, onFinding: OnFinding): string | undefined {
  const gitFolder = gitFolderOf(root, onFinding);
  if (gitFolder === undefined) return undefined;
  const shared = commonFolder(gitFolder, onFinding);
  if (shared !== undefined) {
    if (dirname(gitFolder) === join(shared, 'worktrees') && namedRoot(gitFolder, onFinding) === root) {
      return workTreeOf(shared, onFinding);
    }
    onFinding(`${join(root, '.git')} names a repository that does not name this worktree, so its mail is separate`);
    return undefined;
  }
  // A folder that only points to a bare repository inside it is used like one of its worktrees.
  const isBare = isInside(gitFolder, root) && gitSetting(configOf(gitFolder, onFinding), 'core', 'bare') === 'true';
  return isBare ? workTreeOf(gitFolder, onFinding) : undefined;
}

/** The main work tree of a repository; of a bare one, the repository itself. */
function workTreeOf(common: string, onFinding: OnFinding): string {
  const named = gitSetting(configOf(common, onFinding), 'core', 'worktree');
  const root = named === undefined ? undefined : realFolder(resolve(common, named));
  if (root !== undefined && gitFolderOf(root, onFinding) === common) return root;
  return basename(common) === '.git' ? dirname(common) : common;
}

/** `gitdir` of a worktree's Git folder contains the path of its `.git` file, relative to itself in newer repositories. */
function namedRoot(gitFolder: string, onFinding: OnFinding): string | undefined {
  const named = textOf(join(gitFolder, 'gitdir'), gitFolder, MAX_PATH_FILE, onFinding)?.trim();
  return named === undefined || named === '' ? undefined : realFolder(dirname(resolve(gitFolder, named)));
}

function listed(folder: string, within: string, onFinding: OnFinding): string[] {
  try {
    return kindOf(folder) ? listFolder(folder, { within, max: MAX_WORKTREES, ofAnyUser: true }) : [];
  } catch (error) {
    onFinding((error as Error).message);
    return [];
  }
}

function textOf(path: string, within: string, maxBytes: number, onFinding: OnFinding): string | undefined {
  try {
    return readRepositoryFile(path, { within, maxBytes, ofAnyUser: true })?.toString('utf8');
  } catch (error) {
    onFinding((error as Error).message);
    return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between !== '' && between.split(sep)[0] !== '..';
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  const found = statOf(path);
  if (found?.isDirectory()) return 'folder';
  return found && !found.isSymbolicLink() ? 'file' : undefined;
}
