import { join, relative } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import type { NotedLetter } from '../delivery/letter-states.ts';
import type { Letter } from '../letter.ts';
import { appendLetter, mailboxPath, readLetters } from '../mailbox/mailbox.ts';
import { mayBeServer } from '../tmux/window-life.ts';
import { foldersOfWindow } from './agents.ts';
import { type SessionsView, serverOf } from './sessions.ts';

/** Who writes of letters that cannot be read any more. */
const SENDER = 'mailman';
/** A window that closes may be followed at once by another of the same name. */
const GRACE_MS = 5_000;
const MOST_REMEMBERED = 10_000;

/** How soon a sender who could not be told is tried again. */
const RETRY_MS = 10_000;

export interface BounceParts {
  main: string;
  state: DeliveryState;
  clock: Clock;
  view: SessionsView;
  /** What became of letters so far, also where it could not be noted: nobody is told twice. */
  returned: Map<string, 'told' | 'failed'>;
  warn(message: string): void;
}

/**
 * Tells senders of letters whose recipients' windows are gone, once for each. The letters stay where they are, for
 * whoever bears that name next. Gives what was done, in words, and when there may be more to do.
 */
export async function bounceLetters(parts: BounceParts): Promise<{ done: string[]; againInMs: number }> {
  const { state, clock, returned, warn } = parts;
  const done: string[] = [];
  const lost = state.open().filter((each) => returned.get(each.id) !== 'told' && hasNoReader(each, parts));
  const ages = lost.map(({ storedAt }) => clock.now() - storedAt);
  let againInMs = Math.min(...ages.filter((age) => age < GRACE_MS).map((age) => GRACE_MS - age));
  for (const letter of lost.filter((_, at) => (ages[at] ?? 0) >= GRACE_MS)) {
    try {
      if (await bounce(letter, parts)) done.push(`#${letter.id} to ${letter.to} bounced: its window is gone`);
    } catch (error) {
      againInMs = Math.min(againInMs, RETRY_MS);
      if (returned.get(letter.id) === undefined) warn(`#${letter.id} cannot come back: ${(error as Error).message}`);
      returned.set(letter.id, 'failed');
    }
  }
  return { done, againInMs };
}

/** False where it was read. Noted only after its sender has been told: whoever is told twice has lost nothing. */
async function bounce(letter: NotedLetter, parts: BounceParts): Promise<boolean> {
  const { state, clock, returned } = parts;
  const found = await find(letter, parts);
  if (found?.isRead) {
    state.fetched(letter.id, clock.now());
    return false;
  }
  await tellSender(letter, wordsOf(letter, found), parts);
  if (returned.size > MOST_REMEMBERED) returned.clear();
  returned.set(letter.id, 'told');
  state.bounced(letter.id, clock.now());
  return true;
}

function hasNoReader({ from, to, toWindow }: NotedLetter, { view }: BounceParts): boolean {
  if (from === SENDER || toWindow === undefined) return false;
  if (view.everyWindow.has(toWindow) || view.windows.some(({ name }) => name === to)) return false;
  return view.servers.has(serverOf(toWindow)) || !mayBeServer(Number(serverOf(toWindow).split(':')[0]));
}

/** The original program reads without a note of it. Undefined where it is gone from its mailbox. */
async function find({ id, mailbox }: NotedLetter, { main }: BounceParts): Promise<Letter | undefined> {
  const letters = await readLetters(join(main, mailbox));
  return letters.find((letter) => letter.id === id);
}

/** Of a letter that is not there nobody knows whether it was read. */
function wordsOf({ id, to }: NotedLetter, found: Letter | undefined): string {
  return found
    ? `Message #${id} to ${to} was not read: its window is gone.`
    : `Message #${id} to ${to} may be lost: its window is gone, and the message is no longer in its mailbox.`;
}

async function tellSender(noted: NotedLetter, message: string, parts: BounceParts): Promise<void> {
  const { main, state, clock, warn } = parts;
  const sender = senderOf(noted, parts);
  if (!sender) return;
  const mailbox = mailboxPath(sender.folder, sender.name);
  const letter = await appendLetter(mailbox, { from: SENDER, to: sender.name, message }, { clock, warn });
  state.stored({
    id: letter.id,
    mailbox: relative(main, mailbox),
    from: { name: SENDER },
    to: { name: sender.name, ...(sender.window === undefined ? {} : { window: sender.window }) },
    storedAt: Date.parse(letter.createdAt),
    preview: message,
  });
}

/** Undefined where nobody is left to be told. Agents on HTTP have no window, and those of other sessions are not seen whole. */
function senderOf({ from, fromWindow }: NotedLetter, { main, view }: BounceParts) {
  const isGone =
    fromWindow !== undefined && view.servers.has(serverOf(fromWindow)) && !view.everyWindow.has(fromWindow);
  const window = view.windows.find(({ key, name }) => (isGone ? name === from : key === fromWindow));
  if (window)
    return { name: window.name, window: window.key, folder: foldersOfWindow(window, main).read.at(-1) ?? main };
  return isGone ? undefined : { name: from, window: fromWindow, folder: main };
}
