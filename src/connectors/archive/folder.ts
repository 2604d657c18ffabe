import type { Dirent } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { StoredArchive, StoredEntry } from './decoded-archive.ts';
import { FileEntry } from './file-entry.ts';
import { type SkipReason, whereIn } from './importer.ts';
import type { LeftOut } from './open-archive.ts';
import { fileProblem } from './problems.ts';

const DEEPEST_FOLDER = 32;
const MAX_LEFT_OUT = 10_000;

/** All files of a folder and its subfolders. */
export async function openFolder(path: string, most: number): Promise<StoredArchive> {
  const leftOut: LeftOut[] = [];
  const entries = await walk(path, most, (why, name) => {
    if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ why, where: whereIn(name) });
  }).catch((cause: unknown) => {
    throw cause instanceof AppError ? cause : fileProblem(path, cause);
  });
  if (entries.length === 0) throw leftOut.length === 0 ? noFiles(path) : allLeftOut(path, leftOut);
  return { path, kind: 'folder', entries, leftOut, close: async () => {} };
}

type Note = (why: SkipReason, name: string) => void;

/**
 * Every file once. A symbolic link to something in the folder is followed only into a hidden folder, as annexes of git keep
 * files: anything else in the folder is found under its own name. Links that lead out of it are never followed.
 */
async function walk(folder: string, most: number, note: Note): Promise<StoredEntry[]> {
  const root = await realpath(folder);
  /** By their real paths. */
  const entries = new Map<string, StoredEntry>();
  const links: { path: string; name: string; depth: number }[] = [];
  /** Real paths of what links lead to: the first link names it. */
  const linked = new Set<string>();
  let isFollowing = false;

  async function addFolder(path: string, within: string, depth: number): Promise<void> {
    if (depth > DEEPEST_FOLDER) return note('too_deep', within);
    const listed = await list(path).catch((cause: unknown) => {
      if (depth === 0) throw cause;
    });
    if (listed === undefined) return note('no_access', within);
    for (const entry of listed) {
      const name = within === '' ? entry.name : `${within}/${entry.name}`;
      if (entry.isDirectory()) await addFolder(join(path, entry.name), name, depth + 1);
      else if (entry.isFile()) await addFile(join(path, entry.name), name);
      else if (entry.isSymbolicLink()) links.push({ path: join(path, entry.name), name, depth });
      if (links.length > most) throw tooManyFiles(folder, most);
    }
  }

  async function addFile(path: string, name: string): Promise<void> {
    if (isFollowing && linked.has(path)) return;
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return note('no_access', name);
    if (isFollowing) linked.add(path);
    entries.set(path, new FileEntry(path, name, found.size));
    if (entries.size > most) throw tooManyFiles(folder, most);
  }

  async function follow({ path, name, depth }: { path: string; name: string; depth: number }): Promise<void> {
    const target = await realpath(path).catch(() => undefined);
    const inside = target === undefined ? undefined : relative(root, target);
    if (target === undefined || inside === undefined || !isInside(inside)) return note('link', name);
    if (!isHidden(inside) || isHidden(name) || linked.has(target)) return;
    const found = await stat(target);
    if (found.isFile()) return addFile(target, name);
    linked.add(target);
    if (found.isDirectory()) await addFolder(target, name, depth + 1);
  }

  await addFolder(root, '', 0);
  links.sort((a, b) => (a.name < b.name ? -1 : 1));
  isFollowing = true;
  // Following one may find others.
  for (const link of links) await follow(link);
  return [...entries.values()];
}

async function list(path: string): Promise<Dirent[]> {
  const listed: Dirent[] = [];
  for await (const entry of await opendir(path)) listed.push(entry);
  return listed;
}

function isInside(path: string): boolean {
  return path !== '..' && !path.startsWith(`..${sep}`);
}

function isHidden(path: string): boolean {
  return path.split(/[/\\]/).some((part) => part.startsWith('.'));
}

function noFiles(path: string): AppError {
  return new AppError('INVALID_PARAMETER', `The folder ${path} holds no files.`, { field: 'path' });
}

function allLeftOut(path: string, leftOut: readonly LeftOut[]): AppError {
  const isLinks = leftOut.every(({ why }) => why === 'link');
  return new AppError(
    'INVALID_PARAMETER',
    `Nothing in the folder ${path} may be read${isLinks ? ': symbolic links that lead out of it are not followed' : ''}.`,
    { field: 'path', ...(isLinks ? { hint: 'Give the folder that holds the files themselves.' } : {}) },
  );
}

function tooManyFiles(path: string, most: number): AppError {
  return new AppError('TOO_LARGE', `The folder ${path} holds more than ${most} files.`, {
    field: 'path',
    hint: 'Give the folder that holds the export itself.',
  });
}
