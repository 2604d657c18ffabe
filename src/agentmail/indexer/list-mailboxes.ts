import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const FOLDER = '.agentmail';

/** All mail folders of a repository: the shared one, and those of linked worktrees. */
export function mailFoldersOf(shared: string): string[] {
  const root = dirname(shared);
  // A bare repository has its list of worktrees in itself.
  const notes = [join(root, '.git', 'worktrees'), join(root, 'worktrees')];
  const own = notes
    .flatMap((folder) => entriesOf(folder).map((name) => worktreeIn(join(folder, name, 'gitdir'))))
    .flatMap((worktree) => (worktree === undefined ? [] : [join(worktree, FOLDER)]));
  return [...new Set([shared, ...own])].filter((folder) => existsSync(folder));
}

export function mailboxesIn(folder: string): string[] {
  const boxes = join(folder, 'mailboxes');
  return entriesOf(boxes)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(boxes, name));
}

/** `gitdir` contains the path of the worktree's `.git` file, relative to itself in newer repositories. */
function worktreeIn(gitdir: string): string | undefined {
  try {
    return dirname(resolve(dirname(gitdir), readFileSync(gitdir, 'utf8').trim()));
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
