import type { Hint, Mark } from '../delivery/delivery-state.ts';
import type { Letter } from '../letter.ts';
import { type FileLine, lineAt, linesOf } from './file-lines.ts';
import { beginsWithId, hasBrokenTime, isBlank, isPlainlyRead, parseLine, plainIdOf } from './line.ts';
import { lettersIn } from './rewrite.ts';
import { createWasteLimit } from './waste-limit.ts';

/** Result of a search for unread letters. */
export interface UnreadSearch {
  first?: { letter: Letter; start: number };
  /** Number of unread letters, wanted or not. */
  unread: number;
  /** Number of unread ones before the first that is wanted. */
  skipped: number;
  /** For the next search. */
  hint?: Hint;
  /** The file has lines that are not letters. */
  isDamaged: boolean;
}

const BEGINNING: Mark = { start: 0, next: 0, id: '' };

/** The oldest unread letter that is wanted. With a valid hint, only the part beyond it is read. */
export function searchUnread(
  file: number,
  hint: Hint | undefined,
  isWanted: (letter: Letter) => boolean,
): UnreadSearch {
  const read = hint && holds(file, hint.read) ? hint.read : BEGINNING;
  const counted = hint && read === hint.read && hint.counted.id !== '' && holds(file, hint.counted) ? hint : undefined;
  const { lastRead, ...found } = findFirst(file, read.next, isWanted);
  const rest = count(file, counted?.counted.next ?? read.next);
  const unread = (counted?.unread ?? 0) + rest.unread;
  const next = {
    read: markOf(lastRead) ?? read,
    counted: (rest.last ? markOf(rest.last) : counted?.counted) ?? BEGINNING,
    unread,
  };
  return { ...found, unread, hint: next, isDamaged: found.isDamaged || rest.isDamaged };
}

/** All unread letters. The part before a valid hint is not read. */
export function allUnread(file: number, hint: Hint | undefined): Letter[] {
  const from = hint && holds(file, hint.read) ? hint.read.next : 0;
  const unread: Letter[] = [];
  const noteWaste = createWasteLimit();
  for (const line of linesOf(file, from)) {
    const state = stateOf(line);
    if (isWaste(state)) noteWaste();
    if (typeof state === 'object') unread.push(state);
    if (state === 'bad')
      unread.push(...lettersIn([line]).letters.flatMap(({ letter }) => (letter.isRead ? [] : letter)));
  }
  return unread;
}

/** The hint after the letter at `start` was read; undefined where it is no longer valid. */
export function afterReading(file: number, hint: Hint, start: number): Hint | undefined {
  if (!holds(file, hint.read) || !holds(file, hint.counted)) return undefined;
  const line = start === hint.read.next ? lineAt(file, start) : undefined;
  const wasCounted = start >= hint.read.next && start < hint.counted.next;
  return { ...hint, read: markOf(line) ?? hint.read, unread: Math.max(0, hint.unread - (wasCounted ? 1 : 0)) };
}

function findFirst(file: number, from: number, isWanted: (letter: Letter) => boolean) {
  let lastRead: FileLine | undefined;
  let skipped = 0;
  let isDamaged = false;
  const noteWaste = createWasteLimit();
  for (const line of linesOf(file, from)) {
    const state = stateOf(line);
    if (isWaste(state)) noteWaste();
    if (state === 'bad') isDamaged = true;
    // Only while all letters so far are read: the next search begins after it.
    if (state === 'read' && skipped === 0 && !isDamaged) lastRead = line;
    if (typeof state !== 'object') continue;
    if (hasBrokenTime(line.bytes, state)) isDamaged = true;
    if (isWanted(state)) return { first: { letter: state, start: line.start }, lastRead, skipped, isDamaged };
    skipped += 1;
  }
  return { lastRead, skipped, isDamaged };
}

function count(file: number, from: number): { unread: number; last?: FileLine; isDamaged: boolean } {
  let unread = 0;
  let last: FileLine | undefined;
  let isDamaged = false;
  const noteWaste = createWasteLimit();
  for (const line of linesOf(file, from)) {
    const state = stateOf(line);
    if (isWaste(state)) noteWaste();
    if (state === 'bad') isDamaged = true;
    if (typeof state === 'object') unread += 1;
    if (state !== 'blank') last = line;
  }
  return { unread, ...(last ? { last } : {}), isDamaged };
}

function isWaste(state: ReturnType<typeof stateOf>): boolean {
  return state === 'blank' || state === 'bad';
}

function stateOf({ bytes, start, end }: FileLine): Letter | 'read' | 'blank' | 'bad' {
  if (isBlank(bytes) && end - start <= 2) return 'blank';
  if (isPlainlyRead(bytes)) return 'read';
  const letter = parseLine(bytes);
  if (letter === undefined) return 'bad';
  return letter.isRead ? 'read' : letter;
}

/** The original rewrites whole mailboxes, which moves lines. */
function holds(file: number, { start, next, id }: Mark): boolean {
  if (next === 0) return true;
  const line = lineAt(file, start);
  return line?.end === next && line.isWhole && beginsWithId(line.bytes, id);
}

function markOf(line: FileLine | undefined): Mark | undefined {
  const id = line?.isWhole ? plainIdOf(line.bytes) : undefined;
  return line && id !== undefined ? { start: line.start, next: line.end, id } : undefined;
}
