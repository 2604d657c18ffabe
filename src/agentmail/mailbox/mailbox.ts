import { closeSync, fdatasyncSync, fstatSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Hint } from '../delivery/delivery-state.ts';
import type { Letter } from '../letter.ts';
import { cannot, readAt } from '../repository/repository-file.ts';
import { type FileLine, lineAt, linesOf, writeAt } from './file-lines.ts';
import { newLetterId } from './letter-id.ts';
import { beginsWithId, encodeLine, flagOffset, isPlainlyRead, parseLine, timestamp } from './line.ts';
import { openLocked, withLockedFile } from './locked-file.ts';
import { mailboxFileOf } from './names.ts';
import { quarantine, type Warn } from './quarantine.ts';
import { lettersIn, linesFrom, recoverMailbox, repairMailbox, rewriteMailbox } from './rewrite.ts';
import { requireUntracked } from './tracked-mailbox.ts';
import { afterReading, allUnread, searchUnread, type UnreadSearch } from './unread.ts';

const NEWLINE = 10;
const READ = Buffer.from('true ');

/** A mailbox under its lock. */
export interface OpenMailbox {
  /** The oldest unread letter that is wanted, the number of unread ones, and the hint for the next search. */
  firstUnread(hint: Hint | undefined, isWanted: (letter: Letter) => boolean): UnreadSearch;
  /** Marks a letter read, on disk. Returns the new hint; undefined if the letter is read already or missing. */
  markRead(id: string, near: number, hint: Hint | undefined): { hint?: Hint } | undefined;
  /** Removes letters, and returns them. */
  remove(isUnwanted: (letter: Letter) => boolean): readonly Letter[];
}

export function mailboxPath(folder: string, name: string): string {
  return join(folder, 'mailboxes', mailboxFileOf(name));
}

interface AppendParts {
  clock: Clock;
  warn: Warn;
  /** Called with the letter before it can be read; its failure prevents the letter. */
  beforeAppend?(letter: Letter): Promise<void>;
}

/** Appends a letter to a mailbox, which is created if it is missing. On disk when this returns. */
export async function appendLetter(
  mailbox: string,
  { from, to, message }: Pick<Letter, 'from' | 'to' | 'message'>,
  { clock, warn, beforeAppend }: AppendParts,
): Promise<Letter & { createdAt: string }> {
  requireUntracked(mailbox);
  const stored = await withLockedFile(mailbox, { kind: 'exclusive', create: true }, async (file) => {
    recoverMailbox(file, mailbox, warn);
    if (!endsWithNewline(file)) repairMailbox(file, mailbox, warn);
    const letter = { id: newLetterId(), from, to, message, isRead: false, createdAt: timestamp(clock.now()) };
    await beforeAppend?.(letter);
    appendLine(file, mailbox, Buffer.from(encodeLine(letter)));
    return letter;
  });
  if (!stored) throw new Error(`${mailbox} was not made`);
  return stored;
}

/** Undefined if there is no mailbox. */
export function withMailbox<T>(mailbox: string, warn: Warn, work: (box: OpenMailbox) => T): Promise<T | undefined> {
  return withLockedFile(mailbox, { kind: 'exclusive' }, (file) => {
    recoverMailbox(file, mailbox, warn);
    return work(openMailbox(file, mailbox, warn));
  });
}

/** The same until it is closed. The lock also ends with the process. */
export async function holdMailbox(
  mailbox: string,
  warn: Warn,
): Promise<{ box: OpenMailbox; close(): void } | undefined> {
  const file = await openLocked(mailbox, { kind: 'exclusive' });
  if (file === undefined) return undefined;
  try {
    recoverMailbox(file, mailbox, warn);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return { box: openMailbox(file, mailbox, warn), close: () => closeSync(file) };
}

/** All letters; changes nothing. */
export async function readLetters(mailbox: string): Promise<readonly Letter[]> {
  const letters = await withLockedFile(mailbox, { kind: 'shared' }, (file) => allLetters(file));
  return letters ?? [];
}

/** The unread letters; reads only what the hint makes necessary. */
export async function readUnread(mailbox: string, hint: Hint | undefined): Promise<readonly Letter[]> {
  const letters = await withLockedFile(mailbox, { kind: 'shared' }, (file) => allUnread(file, hint));
  return letters ?? [];
}

function openMailbox(file: number, mailbox: string, warn: Warn): OpenMailbox {
  return {
    firstUnread(hint, isWanted) {
      const found = searchUnread(file, hint, isWanted);
      if (!found.isDamaged || !tryRepair(file, mailbox, warn)) return found;
      return searchUnread(file, undefined, isWanted);
    },
    markRead(id, near, hint) {
      const start = markRead(file, mailbox, { id, near }, warn);
      if (start === undefined) return undefined;
      const next = hint && afterReading(file, hint, start);
      return next ? { hint: next } : {};
    },
    remove: (isUnwanted) => remove(file, mailbox, isUnwanted, warn),
  };
}

function allLetters(file: number): readonly Letter[] {
  return lettersIn(linesOf(file)).letters.map(({ letter }) => letter);
}

function markRead(
  file: number,
  mailbox: string,
  { id, near }: { id: string; near: number },
  warn: Warn,
): number | undefined {
  const line = unreadLine(file, id, near);
  if (line === undefined) return undefined;
  const flag = flagOffset(line.bytes);
  if (flag === undefined) {
    writeAsRead(file, mailbox, id, warn);
    return line.start;
  }
  try {
    writeAt(file, READ, line.start + flag);
    fdatasyncSync(file);
  } catch (error) {
    throw cannot('be written', mailbox, error);
  }
  return line.start;
}

function remove(file: number, mailbox: string, isUnwanted: (letter: Letter) => boolean, warn: Warn): readonly Letter[] {
  const { letters, waste } = lettersIn(linesOf(file));
  const removed = letters.filter(({ letter }) => isUnwanted(letter));
  if (removed.length + waste.length > 0) {
    quarantine(file, mailbox, waste, warn);
    rewriteMailbox(file, mailbox, linesFrom(letters.filter(({ letter }) => !isUnwanted(letter))));
  }
  return removed.map(({ letter }) => letter);
}

/** Another program may have moved it since it was found. */
function unreadLine(file: number, id: string, near: number): FileLine | undefined {
  const expected = lineAt(file, near);
  if (expected && isUnread(expected, id)) return expected;
  for (const line of linesOf(file)) if (isUnread(line, id)) return line;
  return undefined;
}

function isUnread({ bytes }: FileLine, id: string): boolean {
  if (isPlainlyRead(bytes) || (!beginsWithId(bytes, id) && flagOffset(bytes) !== undefined)) return false;
  const letter = parseLine(bytes);
  return letter !== undefined && letter.id === id && !letter.isRead;
}

/** A line of another form has no five bytes to overwrite: it is written again in our form. */
function writeAsRead(file: number, mailbox: string, id: string, warn: Warn): void {
  const { letters, waste } = lettersIn(linesOf(file));
  quarantine(file, mailbox, waste, warn);
  const unread = letters.find(({ letter }) => letter.id === id && !letter.isRead);
  if (unread) unread.bytes = Buffer.from(encodeLine({ ...unread.letter, isRead: true }).trimEnd());
  rewriteMailbox(file, mailbox, linesFrom(letters));
}

function appendLine(file: number, mailbox: string, line: Buffer): void {
  const { size } = fstatSync(file);
  try {
    writeAt(file, line, size);
    fdatasyncSync(file);
  } catch (error) {
    // A letter that was not confirmed must not remain in the file, in whole or in part.
    ftruncateSync(file, size);
    throw cannot('be written', mailbox, error);
  }
}

function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file);
  return size === 0 || readAt(file, size - 1, 1)[0] === NEWLINE;
}

/** Readable letters are delivered even if the disk has no room for the quarantine. */
function tryRepair(file: number, mailbox: string, warn: Warn): boolean {
  try {
    repairMailbox(file, mailbox, warn);
    return true;
  } catch (error) {
    warn(`${mailbox} has lines that are not letters, and could not be repaired: ${(error as Error).message}`);
    return false;
  }
}
