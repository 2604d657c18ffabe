import { closeSync, fstatSync, fsyncSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MailFolders } from '../agent.ts';
import { openRepositoryFile, readAt, readRepositoryFile, statOf } from './repository-file.ts';

const LINE = '.agentmail/';
const MAX_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** The work trees with mail that git does not ignore. Excludes of the user outside the repository are not read. */
export function withoutIgnore({ main, read }: Pick<MailFolders, 'main' | 'read'>): string[] {
  const roots = new Set([main, ...read].map((folder) => dirname(folder)));
  return [...roots].filter((root) => statOf(join(root, '.git')) !== undefined && !isIgnored(root));
}

/** Adds the mail folder to the `.gitignore` of a work tree. */
export function addToGitignore(root: string): void {
  const options = { within: root, maxBytes: MAX_BYTES, access: 'append', create: true, mode: 0o644 } as const;
  const file = openRepositoryFile(join(root, '.gitignore'), options);
  if (file === undefined) return;
  try {
    const { size } = fstatSync(file);
    const isWhole = size === 0 || readAt(file, size - 1, 1)[0] === NEWLINE;
    writeSync(file, `${isWhole ? '' : '\n'}${LINE}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function isIgnored(root: string): boolean {
  const lines = ['.gitignore', join('.git', 'info', 'exclude')].flatMap((path) => linesOf(join(root, path), root));
  return lines.some((line) => /^\/?\.agentmail(?:\/\*{0,2})?$/.test(line.trim()));
}

function linesOf(path: string, within: string): string[] {
  try {
    const content = readRepositoryFile(path, { within, maxBytes: MAX_BYTES, ofAnyUser: true });
    return content?.toString('utf8').split('\n') ?? [];
  } catch {
    // In a linked worktree `.git` is a file; and whatever else it is, it ignores nothing.
    return [];
  }
}
