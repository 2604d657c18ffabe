import { closeSync, fsyncSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cannot, openRepositoryFile, readAt } from '../repository/repository-file.ts';
import { mailFolderOf, rootOf } from './locked-file.ts';

/** Called when something was quarantined or restored. */
export type Warn = (message: string) => void;

/** Bytes of a file from `start` up to, but not including, `end`. */
export interface Range {
  start: number;
  end: number;
}

const COPIED_AT_ONCE = 1_048_576;
const MAX_QUARANTINE = 2 ** 40;

/** Copies bytes that are not a letter to the quarantine file, on disk when this returns. */
export function quarantine(file: number, path: string, waste: readonly Range[], warn: Warn): void {
  if (waste.length === 0) return;
  const place = join(mailFolderOf(path), 'switchboard', 'quarantine', basename(path));
  try {
    append(place, file, waste);
  } catch (error) {
    throw cannot('be written', place, error);
  }
  const bytes = waste.reduce((sum, { start, end }) => sum + end - start, 0);
  warn(`${path} had ${bytes} bytes that are not a letter; they were moved to ${place}`);
}

function append(place: string, file: number, waste: readonly Range[]): void {
  const options = { within: rootOf(place), maxBytes: MAX_QUARANTINE, access: 'append', create: true } as const;
  const target = openRepositoryFile(place, options);
  if (target === undefined) throw new Error(`${place} was not made`);
  try {
    for (const range of waste) copy(file, range, target);
    fsyncSync(target);
  } finally {
    closeSync(target);
  }
}

function copy(file: number, { start, end }: Range, target: number): void {
  for (let position = start; position < end; position += COPIED_AT_ONCE) {
    writeSync(target, readAt(file, position, Math.min(COPIED_AT_ONCE, end - position)));
  }
  writeSync(target, '\n');
}
