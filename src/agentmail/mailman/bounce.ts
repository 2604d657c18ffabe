import { join, relative } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import type { TrackedLetter } from '../delivery/letter-states.ts';
import type { Letter } from '../letter.ts';
import { appendLetter, mailboxPath, readLetters } from '../mailbox/mailbox.ts';
import { mayBeServer } from '../tmux/window-life.ts';
import { foldersOfWindow } from './agents.ts';
import { type SessionsView, serverOf } from './sessions.ts';

/** Sender of letters about undeliverable ones. */
const SENDER = 'mailman';
/** A window that closes may be replaced immediately by another with the same name. */
const GRACE_MS = 5_000;
const MAX_REMEMBERED = 10_000;

/** After a failure the sender is notified again after this time. */
const RETRY_MS = 10_000;

export interface BounceParts {
  main: string;
  state: DeliveryState;
  clock: Clock;
  view: SessionsView;
  /** Outcome of each bounce so far, also where it could not be stored: no sender is notified twice. */
  returned: Map<string, 'notified' | 'failed'>;
  warn(message: string): void;
}

/**
 * Notifies senders of letters whose recipients' windows were closed, once for each. The letters remain in the mailbox, for
 * the next window with that name. Returns log lines, and when to run again.
 */
export async function bounceLetters(parts: BounceParts): Promise<{ done: string[]; againInMs: number }> {
  const { state, clock, returned, warn } = parts;
  const done: string[] = [];
  const lost = state.open().filter((each) => returned.get(each.id) !== 'notified' && hasNoReader(each, parts));
  const ages = lost.map(({ storedAt }) => clock.now() - storedAt);
  let againInMs = Math.min(...ages.filter((age) => age < GRACE_MS).map((age) => GRACE_MS - age));
  for (const letter of lost.filter((_, at) => (ages[at] ?? 0) >= GRACE_MS)) {
    try {
      if (await bounce(letter, parts)) done.push(`#${letter.id} to ${letter.to} bounced: its window is gone`);
    } catch (error) {
      againInMs = Math.min(againInMs, RETRY_MS);
      if (returned.get(letter.id) === undefined) warn(`#${letter.id} cannot be returned: ${(error as Error).message}`);
      returned.set(letter.id, 'failed');
    }
  }
  return { done, againInMs };
}

/** False if it was read. Stored only after the sender was notified: two notices are better than none. */
async function bounce(letter: TrackedLetter, parts: BounceParts): Promise<boolean> {
  const { state, clock, returned } = parts;
  const found = await find(letter, parts);
  if (found?.isRead) {
    state.fetched(letter.id, clock.now());
    return false;
  }
  await tellSender(letter, wordsOf(letter, found), parts);
  if (returned.size > MAX_REMEMBERED) returned.clear();
  returned.set(letter.id, 'notified');
  state.bounced(letter.id, clock.now());
  return true;
}

function hasNoReader({ from, to, toWindow }: TrackedLetter, { view }: BounceParts): boolean {
  if (from === SENDER || toWindow === undefined) return false;
  if (view.everyWindow.has(toWindow) || view.windows.some(({ name }) => name === to)) return false;
  return view.servers.has(serverOf(toWindow)) || !mayBeServer(Number(serverOf(toWindow).split(':')[0]));
}

/** The original program reads letters without storing it. Undefined if the letter is missing from its mailbox. */
async function find({ id, mailbox }: TrackedLetter, { main }: BounceParts): Promise<Letter | undefined> {
  const letters = await readLetters(join(main, mailbox));
  return letters.find((letter) => letter.id === id);
}

/** If the letter is not in the mailbox, it is unknown whether it was read. */
function wordsOf({ id, to }: TrackedLetter, found: Letter | undefined): string {
  return found
    ? `Message #${id} to ${to} was not read: its window is gone.`
    : `Message #${id} to ${to} is gone: its window is closed, and another program has removed the message from its mailbox, perhaps after reading it.`;
}

async function tellSender(noted: TrackedLetter, message: string, parts: BounceParts): Promise<void> {
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

/**
 * Undefined if the sender's window was closed too. Agents on HTTP have no window, and windows of other sessions may not be
 * listed.
 */
function senderOf({ from, fromWindow }: TrackedLetter, { main, view }: BounceParts) {
  const isGone =
    fromWindow !== undefined && view.servers.has(serverOf(fromWindow)) && !view.everyWindow.has(fromWindow);
  const window = view.windows.find(({ key, name }) => (isGone ? name === from : key === fromWindow));
  if (window)
    return { name: window.name, window: window.key, folder: foldersOfWindow(window, main).read.at(-1) ?? main };
  return isGone ? undefined : { name: from, window: fromWindow, folder: main };
}
