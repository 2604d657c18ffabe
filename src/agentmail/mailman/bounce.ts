import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { appendLetter, mailboxPath, readLetters } from '../mailbox.ts';
import type { Side } from '../side.ts';
import type { NotedLetter } from '../side-letters.ts';
import { placesOf } from './agents.ts';
import { type SessionsView, serverOf } from './sessions.ts';

/** Who writes of letters that cannot be read any more. */
const SENDER = 'mailman';
/** A window that closes may be followed at once by another of the same name. */
const GRACE_MS = 5_000;

export interface BounceParts {
  main: string;
  side: Side;
  clock: Clock;
  view: SessionsView;
  warn(message: string): void;
}

/**
 * Tells senders of letters whose recipients' windows are gone, once for each. The letters stay where they are, for
 * whoever bears that name next. Gives what was done, in words, and when there may be more to do.
 */
export async function bounceLetters(parts: BounceParts): Promise<{ done: string[]; againInMs: number }> {
  const { side, clock } = parts;
  const done: string[] = [];
  const lost = side.open().filter((each) => hasNoReader(each, parts));
  const ages = lost.map(({ storedAt }) => clock.now() - storedAt);
  for (const letter of lost.filter((_, at) => (ages[at] ?? 0) >= GRACE_MS)) {
    if (await isUnread(letter, parts)) {
      side.bounced(letter.id, clock.now());
      await tellSender(letter, parts);
      done.push(`#${letter.id} to ${letter.to} bounced: its window is gone`);
    } else side.fetched(letter.id, clock.now());
  }
  const againInMs = Math.min(...ages.filter((age) => age < GRACE_MS).map((age) => GRACE_MS - age));
  return { done, againInMs };
}

function hasNoReader({ from, to, toWindow }: NotedLetter, { view }: BounceParts): boolean {
  if (from === SENDER || toWindow === undefined) return false;
  if (view.everyWindow.has(toWindow) || view.windows.some(({ name }) => name === to)) return false;
  return view.servers.has(serverOf(toWindow)) || !isServer(Number(serverOf(toWindow).split(':')[0]));
}

/** Whether this process may be a tmux server that we have not asked. */
function isServer(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('tmux');
  } catch {
    return false;
  }
}

/** The original program reads without a note of it. */
async function isUnread({ id, mailbox }: NotedLetter, { main }: BounceParts): Promise<boolean> {
  const letters = await readLetters(join(main, mailbox));
  return letters.some((letter) => letter.id === id && !letter.isRead);
}

async function tellSender({ id, to, fromWindow }: NotedLetter, { main, side, clock, view, warn }: BounceParts) {
  const window = view.windows.find(({ key }) => key === fromWindow);
  if (!window) return;
  const mailbox = mailboxPath(placesOf(window, main).read.at(-1) ?? main, window.name);
  const message = `Message #${id} to ${to} was not read: its window is gone.`;
  const letter = await appendLetter(mailbox, { from: SENDER, to: window.name, message }, { clock, warn });
  side.stored({
    id: letter.id,
    mailbox: relative(main, mailbox),
    from: { name: SENDER },
    to: { name: window.name, window: window.key },
    storedAt: Date.parse(letter.createdAt),
    preview: message,
  });
}
