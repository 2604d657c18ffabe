import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { MailFolders } from '../agent.ts';

const FOLDER = '.agentmail';

/** A folder with a `.git`, and the main folder that all worktrees of that repository share. */
interface WorkTree {
  root: string;
  main: string;
}

/** The mail folders of the repository that a folder is in; undefined outside of one. */
export function mailFoldersFor(folder: string): MailFolders | undefined {
  const tree = findWorkTree(folder);
  return tree && foldersOfWindow(tree);
}

function foldersOfWindow({ root, main }: WorkTree): MailFolders {
  const shared = join(main, FOLDER);
  return {
    main: shared,
    read: [shared, ...ownFolder({ root, main })],
    forFolder(folder) {
      const tree = folder === undefined ? undefined : findWorkTree(folder);
      return tree && tree.main === main ? (ownFolder(tree)[0] ?? shared) : shared;
    },
  };
}

/** The linked worktree's own mail folder, if it has one. A symbolic link does not count. */
function ownFolder({ root, main }: WorkTree): string[] {
  const folder = join(root, FOLDER);
  return root !== main && kindOf(folder) === 'folder' ? [folder] : [];
}

function findWorkTree(folder: string): WorkTree | undefined {
  for (let root = realFolder(folder); ; root = dirname(root)) {
    const git = join(root, '.git');
    const kind = kindOf(git);
    if (kind) return { root, main: kind === 'file' ? (mainFolder(root, git) ?? root) : root };
    if (dirname(root) === root) return undefined;
  }
}

/** Follows a `.git` file: `gitdir` of the worktree, and from there the common folder of all worktrees. */
function mainFolder(root: string, gitFile: string): string | undefined {
  const target = /^gitdir: (.+?)\s*$/m.exec(textOf(gitFile) ?? '')?.[1];
  if (target === undefined) return undefined;
  const gitFolder = resolve(root, target);
  const common = textOf(join(gitFolder, 'commondir'))?.trim();
  if (common !== undefined && common !== '') return workTreeOf(realFolder(resolve(gitFolder, common)));
  // A folder that only points to a bare repository beside it is used like one of its worktrees.
  return setting(gitFolder, 'bare') === 'true' ? workTreeOf(realFolder(gitFolder)) : undefined;
}

/** The main worktree of a repository; of a bare one, the repository itself. */
function workTreeOf(common: string): string {
  const worktree = setting(common, 'worktree');
  if (worktree !== undefined) return realFolder(resolve(common, worktree));
  return basename(common) === '.git' ? dirname(common) : common;
}

function setting(gitFolder: string, key: string): string | undefined {
  const core = /^\[core\]$([^[]*)/m.exec(textOf(join(gitFolder, 'config')) ?? '')?.[1] ?? '';
  return new RegExp(`^\\s*${key}\\s*=\\s*(.+?)\\s*$`, 'm').exec(core)?.[1];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return 'folder';
  return found && !found.isSymbolicLink() ? 'file' : undefined;
}
