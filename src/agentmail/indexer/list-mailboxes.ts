import { dirname, join } from 'node:path';
import { listFolder, statOf } from '../repository/repository-file.ts';
import { linkedWorkTrees, type OnFinding } from '../repository/work-tree.ts';

const FOLDER = '.agentmail';
/** Of one mail folder: each is checked once a minute. */
const MAX_MAILBOXES = 10_000;

/** All mail folders of a repository: the shared one, and those of linked worktrees. */
export function mailFoldersOf(shared: string, onFinding: OnFinding): string[] {
  const own = linkedWorkTrees(dirname(shared), onFinding).map((root) => join(root, FOLDER));
  return [...new Set([shared, ...own])].filter((folder) => statOf(folder)?.isDirectory());
}

export function mailboxesIn(folder: string, onFinding: OnFinding): string[] {
  const mailboxes = join(folder, 'mailboxes');
  try {
    const names = listFolder(mailboxes, { within: dirname(folder), max: MAX_MAILBOXES });
    if (names.length === MAX_MAILBOXES) onFinding(`${mailboxes} has too many files; ${MAX_MAILBOXES} are indexed`);
    return names.filter((name) => name.endsWith('.jsonl')).map((name) => join(mailboxes, name));
  } catch (error) {
    onFinding((error as Error).message);
    return [];
  }
}
