import { dirname, join } from 'node:path';
import type { MailFolders } from '../agent.ts';
import { readRepositoryFile } from '../repository/repository-file.ts';
import { findWorkTree, type OnFinding } from '../repository/work-tree.ts';

const IGNORE_FILE = '.agentmailignore';
const MAX_BYTES = 1024 * 1024;

/** The names in `.agentmailignore` of a folder's worktree and of the main one: one per line, neither comments nor patterns. */
export function ignoredNames(folder: string, mailFolders: MailFolders, onFinding: OnFinding): ReadonlySet<string> {
  const roots = new Set([findWorkTree(folder, () => {})?.root, dirname(mailFolders.main)]);
  return new Set([...roots].flatMap((root) => (root === undefined ? [] : namesIn(root, onFinding))));
}

function namesIn(root: string, onFinding: OnFinding): string[] {
  try {
    const content = readRepositoryFile(join(root, IGNORE_FILE), { within: root, maxBytes: MAX_BYTES });
    const lines = content?.toString('utf8').split('\n') ?? [];
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  } catch (error) {
    onFinding((error as Error).message);
    return [];
  }
}
