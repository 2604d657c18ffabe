import { closeSync, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Letter } from '../letter.ts';
import {
  cannot,
  openRepositoryFile,
  readAt,
  readRepositoryFile,
  removeFile,
  renameWithin,
} from '../repository/repository-file.ts';
import { linesOf, writeAt } from './file-lines.ts';
import { encodeLine, hasBrokenTime, lettersWithin, parseLine } from './line.ts';
import { MAX_MAIL_FILE, mailFolderOf, rootOf } from './locked-file.ts';
import { quarantine, type Range, type Warn } from './quarantine.ts';
import { createWasteLimit } from './waste-limit.ts';

const NEWLINE = 10;
/** A recovery writes the letters of both files. */
const MAX_BACKUP = 2 * MAX_MAIL_FILE;

/** A letter with its bytes in the file, without the newline. */
export interface WrittenLetter {
  letter: Letter;
  bytes: Buffer;
}

/**
 * Replaces the contents of a mailbox under its lock. It stays the same file, because other processes may wait for its
 * lock. The old contents are in a backup file until everything is written, so that a crash loses nothing.
 */
export function rewriteMailbox(file: number, mailbox: string, lines: readonly Buffer[]): void {
  const backup = backupOf(mailbox);
  saveBackup(backup, readAt(file, 0, fstatSync(file).size));
  overwrite(file, mailbox, joined(lines));
  removeFile(backup, rootOf(backup));
}

/** Completes a rewrite that a crash interrupted: keeps what was there before and what was added since. */
export function recoverMailbox(file: number, mailbox: string, warn: Warn): void {
  const backup = backupOf(mailbox);
  const before = readRepositoryFile(backup, { within: rootOf(backup), maxBytes: MAX_BACKUP });
  if (before === undefined) return;
  const { letters, waste } = lettersIn(linesOf(file));
  quarantine(file, mailbox, waste, warn);
  const merged = joined(merge(lettersIn(linesIn(before)).letters, letters));
  // If this is interrupted too, the next attempt finds everything.
  saveBackup(backup, merged);
  overwrite(file, mailbox, merged);
  removeFile(backup, rootOf(backup));
  warn(`${mailbox} was restored after an interruption`);
}

/** Removes what is not a letter: the original program cannot read a mailbox that contains it. */
export function repairMailbox(file: number, mailbox: string, warn: Warn): void {
  const { letters, waste } = lettersIn(linesOf(file));
  quarantine(file, mailbox, waste, warn);
  rewriteMailbox(file, mailbox, linesFrom(letters));
}

export function linesFrom(letters: readonly WrittenLetter[]): Buffer[] {
  return letters.map(({ bytes }) => bytes);
}

export function lettersIn(lines: Iterable<Range & { bytes: Buffer }>): { letters: WrittenLetter[]; waste: Range[] } {
  const letters: WrittenLetter[] = [];
  const waste: Range[] = [];
  const noteWaste = createWasteLimit();
  for (const line of lines) {
    const letter = parseLine(line.bytes);
    if (letter) {
      letters.push({ letter, bytes: readableByAll(line.bytes, letter) });
      continue;
    }
    noteWaste();
    separate(line, { letters, waste, noteWaste });
  }
  return { letters, waste };
}

/** Splits a broken line into complete letters and the rest. */
function separate(
  { bytes, start, end }: Range & { bytes: Buffer },
  { letters, waste, noteWaste }: { letters: WrittenLetter[]; waste: Range[]; noteWaste(): void },
): void {
  let done = 0;
  const waive = (until: number) => {
    if (bytes.subarray(done, until).some((byte) => !BLANKS.has(byte)))
      waste.push({ start: start + done, end: start + until });
  };
  for (const found of lettersWithin(bytes, noteWaste)) {
    const whole = bytes.subarray(found.start, found.end);
    const letter = parseLine(whole);
    if (letter) letters.push({ letter, bytes: readableByAll(whole, letter) });
    waive(found.start);
    done = found.end;
  }
  waive(bytes.length);
  // A line that is too long was not read.
  if (bytes.length === 0 && end - start > 2) waste.push({ start, end });
}

const BLANKS = new Set([0, 32, NEWLINE, 13]);

function readableByAll(bytes: Buffer, letter: Letter): Buffer {
  return hasBrokenTime(bytes, letter) ? Buffer.from(encodeLine(letter).trimEnd()) : bytes;
}

/** All letters of both, in order; read, where either one is. */
function merge(before: readonly WrittenLetter[], now: readonly WrittenLetter[]): Buffer[] {
  const since = new Map(now.map((each) => [each.letter.id, each]));
  const known = new Set(before.map(({ letter }) => letter.id));
  const old = before.map(({ letter, bytes }) =>
    since.get(letter.id)?.letter.isRead && !letter.isRead
      ? Buffer.from(encodeLine({ ...letter, isRead: true }).trimEnd())
      : bytes,
  );
  return [...old, ...linesFrom(now.filter(({ letter }) => !known.has(letter.id)))];
}

function overwrite(file: number, mailbox: string, content: Buffer): void {
  try {
    writeAt(file, content, 0);
    ftruncateSync(file, content.length);
    fdatasyncSync(file);
  } catch (error) {
    throw cannot('be written', mailbox, error);
  }
}

function joined(lines: readonly Buffer[]): Buffer {
  const newline = Buffer.of(NEWLINE);
  return Buffer.concat(lines.flatMap((line) => [line, newline]));
}

function* linesIn(content: Buffer): Generator<Range & { bytes: Buffer }> {
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(NEWLINE, start);
    const end = newline === -1 ? content.length : newline;
    yield { start, end, bytes: content.subarray(start, end) };
    start = end + 1;
  }
}

function backupOf(mailbox: string): string {
  return join(mailFolderOf(mailbox), 'switchboard', 'backup', basename(mailbox));
}

function saveBackup(backup: string, content: Buffer): void {
  const within = rootOf(backup);
  const partial = `${backup.slice(0, -'.jsonl'.length)}.new`;
  try {
    const file = openRepositoryFile(partial, { within, maxBytes: MAX_BACKUP, access: 'replace', create: true });
    if (file === undefined) throw new Error(`${partial} was not made`);
    try {
      writeAt(file, content, 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameWithin(dirname(backup), basename(partial), basename(backup), within);
  } catch (error) {
    removeFile(partial, within);
    throw cannot('be written', backup, error);
  }
}
