import { setTimeout as sleep } from 'node:timers/promises';
import { pressIn } from '../tmux/guarded-input.ts';
import { type PaneView, viewPane } from '../tmux/pane-view.ts';
import { plainText } from '../tmux/screen.ts';
import { NOTICE } from './notice.ts';
import { isUserNear, type ReadPrompt } from './prompt-check.ts';

const LOOK_EVERY_MS = 60;
const LOOK_FOR_MS = 1_000;
const MAX_ATTEMPTS = 6;
/** How long to wait for a user who types. */
const WAIT_FOR_USER_MS = 15_000;

/** What the mailman typed, and where it is relative to the cursor. */
interface LeftNotice {
  length: number;
  /** Characters between its end and the cursor. */
  behind: number;
  /** Whether nothing else is in the field. */
  isAlone: boolean;
}

/**
 * Removes the notice from where it was typed, and nothing else: not what the user typed before or after it. False if it
 * is still there.
 */
export async function removeNotice(socket: string, pane: string, read: ReadPrompt): Promise<boolean> {
  const waitUntil = performance.now() + WAIT_FOR_USER_MS;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; ) {
    const view = await viewPane(socket, pane);
    const left = view && findNotice(read, view);
    if (!left) return true;
    if (performance.now() < waitUntil && (await isUserNear(socket, pane))) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    await pressIn({ socket, pane, view }, ...keysFor(left, attempt));
    await lookForChange(socket, pane, view);
    attempt += 1;
  }
  return false;
}

/** Deletes backwards; where that has no effect, as in a mode of commands, a field with nothing else is cleared. */
function keysFor({ length, behind, isAlone }: LeftNotice, attempt: number): string[] {
  if (attempt >= 2 && isAlone) return ['C-a', 'C-k'];
  return [...times(behind, 'Left'), ...times(length, 'BSpace'), ...times(behind, 'Right')];
}

function findNotice(read: ReadPrompt, { screen }: PaneView): LeftNotice | undefined {
  const prompt = read(screen);
  if (prompt.kind === 'draft') return findInDraft(prompt.text, prompt.cursor);
  // A dialog that appeared in the meantime may have a field of its own.
  const line = plainText(screen.capture).split('\n')[screen.cursorY] ?? '';
  const isThere = line.slice(0, screen.cursorX).endsWith(NOTICE);
  return isThere ? { length: NOTICE.length, behind: 0, isAlone: false } : undefined;
}

function findInDraft(text: string, cursor: number): LeftNotice | undefined {
  // With the line that our Enter key began, if it did.
  if (text === NOTICE) return { length: Math.max(cursor, NOTICE.length), behind: 0, isAlone: true };
  const end = text.lastIndexOf(NOTICE, cursor) + NOTICE.length;
  const isThere = end >= NOTICE.length && end <= cursor && !text.includes('\n');
  return isThere ? { length: NOTICE.length, behind: cursor - end, isAlone: false } : undefined;
}

async function lookForChange(socket: string, pane: string, before: PaneView): Promise<void> {
  const until = performance.now() + LOOK_FOR_MS;
  while (performance.now() < until) {
    const view = await viewPane(socket, pane);
    if (view?.screen.capture !== before.screen.capture) return;
    await sleep(LOOK_EVERY_MS);
  }
}

function times(count: number, key: string): string[] {
  return Array.from({ length: count }, () => key);
}
