import { closeSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { gitSetting } from './git-config.ts';
import { entriesOfIndex, type IndexEntry } from './git-index.ts';
import { listFolder, openRepositoryFile, readAt, readRepositoryFile, statOf } from './repository-file.ts';
import { configOf, gitFolderOf, type OnFinding } from './work-tree.ts';

/** Sorts after every path in `.agentmail`, also in other capital letters. */
const UNTIL = '.agentmail0';
const FIRST_READ = 64 * 1024;
/** Paths that sort before `.agentmail` are few in any real repository. */
const LAST_READ = 4 * 1024 * 1024;
const MAX_INDEX = 2 ** 40;
const MAX_SHARED_INDEXES = 8;
const MAX_GIT_ENTRIES = 1_000;
const MAX_REMEMBERED = 200;
const UINT_32 = 2 ** 32;

/** What git tracks in a mail folder. It came with the repository, so it is never delivered. */
export interface TrackedMail {
  /** Whether git tracks this file, or may do so. */
  has(path: string): boolean;
  /** Whether the file that is there now is the one that git wrote: `changed` is a tracked file with other content. */
  stateOf(path: string): 'untracked' | 'from-git' | 'changed' | 'unknown';
  isEmpty: boolean;
}

const NOTHING: TrackedMail = { has: () => false, stateOf: () => 'untracked', isEmpty: true };
const PERHAPS: TrackedMail = { has: () => true, stateOf: () => 'unknown', isEmpty: false };

const remembered = new Map<string, { look: string; tracked: TrackedMail }>();

/**
 * Reads git's index itself, because git would run programs that the repository's configuration names. If the index
 * cannot be read, every file counts as tracked.
 */
export function trackedMail(mailFolder: string, onFinding: OnFinding = () => {}): TrackedMail {
  const root = dirname(mailFolder);
  const gitFolder = gitFolderOf(root, onFinding);
  if (gitFolder === undefined) return NOTHING;
  try {
    const indexes = indexesOf(gitFolder);
    const look = indexes.map(lookOf).join(' ');
    const known = remembered.get(gitFolder);
    if (known?.look === look) return known.tracked;
    const tracked = read(indexes, gitFolder, root, onFinding);
    if (remembered.size > MAX_REMEMBERED) remembered.clear();
    if (tracked !== PERHAPS) remembered.set(gitFolder, { look, tracked });
    return tracked;
  } catch (error) {
    onFinding(`what git tracks in ${mailFolder} is unknown: ${(error as Error).message}`);
    return PERHAPS;
  }
}

function read(indexes: readonly string[], gitFolder: string, root: string, onFinding: OnFinding): TrackedMail {
  if (indexes.length === 0) return NOTHING;
  const format = gitSetting(configOf(gitFolder, onFinding), 'extensions', 'objectformat');
  const hashBytes = format?.toLowerCase() === 'sha256' ? 32 : 20;
  const entries: IndexEntry[] = [];
  for (const index of indexes) {
    const found = mailEntriesOf(index, gitFolder, hashBytes);
    if (!found) {
      onFinding(`${index} cannot be read as a Git index, so mail in ${root} counts as tracked by git`);
      return PERHAPS;
    }
    entries.push(...found);
  }
  return entries.length === 0 ? NOTHING : trackedIn(root, entries);
}

function trackedIn(root: string, entries: readonly IndexEntry[]): TrackedMail {
  const byPath = Map.groupBy(entries, ({ path }) => path);
  const keyOf = (path: string) => folded(relative(root, path).split(sep).join('/'));
  const isInTracked = (key: string) => parentsOf(key).some((parent) => byPath.has(parent));
  return {
    has: (path) => byPath.has(keyOf(path)) || isInTracked(keyOf(path)),
    stateOf(path) {
      const key = keyOf(path);
      if (isInTracked(key)) return 'unknown';
      const own = byPath.get(key);
      if (!own) return 'untracked';
      return own.some((entry) => isFromGit(path, root, entry)) ? 'from-git' : 'changed';
    },
    isEmpty: false,
  };
}

/** By its inode, which changes when another program replaces it, or by its content, which a copy has, too. */
function isFromGit(path: string, root: string, { inode, size, hash }: IndexEntry): boolean {
  const found = statOf(path);
  if (!found) return false;
  if (inode === 0 || found.ino % UINT_32 === inode) return true;
  if (found.size !== size || !found.isFile()) return false;
  const content = readRepositoryFile(path, { within: root, maxBytes: UINT_32 }) ?? Buffer.alloc(0);
  const { createHash } = process.getBuiltinModule('node:crypto');
  const digest = createHash(hash.length === 40 ? 'sha1' : 'sha256').update(`blob ${content.length}\0`);
  return digest.update(content).digest('hex') === hash;
}

/** The index and, if it is split, those that it may share entries with. */
function indexesOf(gitFolder: string): string[] {
  const names = listFolder(gitFolder, { within: gitFolder, max: MAX_GIT_ENTRIES, ofAnyUser: true });
  if (names.length === MAX_GIT_ENTRIES) throw new Error(`${gitFolder} has too many files`);
  const shared = names.filter((name) => name.startsWith('sharedindex.'));
  if (shared.length > MAX_SHARED_INDEXES) throw new Error('the index is split into too many files');
  return [...(names.includes('index') ? ['index'] : []), ...shared].map((name) => join(gitFolder, name));
}

function mailEntriesOf(index: string, gitFolder: string, hashBytes: number): IndexEntry[] | undefined {
  const file = openRepositoryFile(index, { within: gitFolder, maxBytes: MAX_INDEX, ofAnyUser: true });
  if (file === undefined) return [];
  try {
    for (const length of [FIRST_READ, LAST_READ]) {
      const bytes = readAt(file, 0, length);
      const found = entriesOfIndex(bytes, { until: UNTIL, hashBytes });
      if (!found) return undefined;
      if (found.isComplete) return found.entries.map(withFoldedPath).filter(({ path }) => isMail(path));
      if (bytes.length < length) return undefined;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

function isMail(path: string): boolean {
  return path === '.agentmail' || path.startsWith('.agentmail/');
}

/** A submodule or a sparse folder is one entry for everything in it. */
function parentsOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).flatMap((_, index) => {
    const parent = names.slice(0, index + 1).join('/');
    return [parent, `${parent}/`];
  });
}

/** File systems may treat names as equal that differ in case or form. */
function folded(path: string): string {
  return path.normalize('NFKC').toLowerCase();
}

function withFoldedPath(entry: IndexEntry): IndexEntry {
  return { ...entry, path: folded(Buffer.from(entry.path, 'latin1').toString('utf8')) };
}

function lookOf(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statOf(path) ?? {};
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}
