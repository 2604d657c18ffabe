import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ChangedFile, changeFile, readText, restoreFile } from './change-file.ts';
import type { FilePart } from './file-parts.ts';

/**
 * Takes out what is ours. If nothing else has changed in the file since, it becomes again what it was, to the byte; a file that
 * we have created is deleted.
 */
export async function undoFile(path: string, now: number, all: readonly FilePart[]): Promise<ChangedFile> {
  const current = await readText(path);
  const parts = current === undefined ? [] : all.filter((part) => part.has(current));
  if (current === undefined || parts.length === 0) return { path, changed: false };
  const backups = await backupsOf(path);
  const original = backups.find(({ text }) => isUntouched(text, parts) && copied(current, text, parts) === current);
  const base = original?.text ?? '';
  const isOurs = ({ text }: Backup) => text === original?.text || copied(text, base, all) === text;
  const isCreated = !original && copied(current, '', parts) === current && backups.every(isOurs);
  if ((original || isCreated) && (await restoreFile(path, current, original?.text))) {
    await Promise.all(backups.filter(isOurs).map((backup) => rm(backup.path, { force: true })));
    return { path, changed: true };
  }
  const before = backups.find(({ text }) => isUntouched(text, parts))?.text;
  return changeFile(path, now, (text) =>
    parts.reduce((rest, part) => (part.has(rest) ? part.unset(rest, before) : rest), text),
  );
}

interface Backup {
  path: string;
  text: string;
}

/** Newest first. */
async function backupsOf(path: string): Promise<Backup[]> {
  const folder = dirname(path);
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.backup-`));
  const read = names
    .sort()
    .reverse()
    .slice(0, MOST_BACKUPS)
    .map(async (name) => ({
      path: join(folder, name),
      text: await readText(join(folder, name)).catch(() => undefined),
    }));
  return (await Promise.all(read)).flatMap(({ text, ...backup }) => (text === undefined ? [] : [{ ...backup, text }]));
}

const MOST_BACKUPS = 20;

function isUntouched(text: string, parts: readonly FilePart[]): boolean {
  return attempt(() => !parts.some((part) => part.has(text))) ?? false;
}

/** What `into` is with our parts in it, as they are in `current`. */
function copied(current: string, into: string, parts: readonly FilePart[]): string | undefined {
  return attempt(() =>
    parts.filter((part) => part.has(current)).reduce((text, part) => part.copy(current, text), into),
  );
}

/** A backup that cannot be parsed is none that we could return to. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
