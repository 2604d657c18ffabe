import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const FOLDER = '.agentmail';

/** Every folder with mail of a repository: the one that all worktrees share, and those that linked worktrees have. */
export function mailFoldersOf(shared: string): string[] {
  const root = dirname(shared);
  // A bare repository has its notes about worktrees in itself.
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

/** `gitdir` names the `.git` file of the worktree, in newer repositories as seen from where it stands itself. */
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
