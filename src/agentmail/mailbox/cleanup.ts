import { basename, dirname, join, relative } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MailFolders } from '../agent.ts';
import type { DeliveryState } from '../delivery/delivery-state.ts';
import { createDeliveryStates } from '../delivery/delivery-states.ts';
import type { Letter } from '../letter.ts';
import { listFolder, statOf } from '../repository/repository-file.ts';
import { readLetters, withMailbox } from './mailbox.ts';
import { nameOfMailboxFile } from './names.ts';
import type { Warn } from './quarantine.ts';
import { changePresences, type Presence, readPresences } from './recipients-file.ts';

export interface Cleanup {
  mailFolders: MailFolders;
  /** The existing windows; missing outside tmux, where no agent is removed because of its window. */
  windows?: readonly string[];
  staleHours: number;
  deliveredHours: number;
  /** Counts what would be removed, and changes nothing. */
  dryRun: boolean;
  clock: Clock;
  warn: Warn;
}

export interface CleanupReport {
  /** Agents without a window, and agents whose status is too old. */
  offline: number;
  stale: number;
  messages: number;
  /** Emptied mailboxes of agents without a window. The files are not deleted: another process may have them open. */
  mailboxes: number;
  /** Mailboxes that another process kept locked. */
  skipped: number;
}

const MAX_MAILBOXES = 1_000_000;
const HOUR_MS = 3_600_000;
const REMEMBERED_MS = 30 * 24 * HOUR_MS;
/** Agents on HTTP have no window. */
const REMOTE_AGENT_LASTS_MS = 24 * HOUR_MS;

/** Removes agents without a window, and letters that were read some time ago; never an unread one. */
export async function cleanUp(job: Cleanup): Promise<CleanupReport> {
  const states = createDeliveryStates(job.warn);
  const state = states.of(job.mailFolders.main);
  try {
    const report: CleanupReport = { ...(await forgetAgents(job, state)), messages: 0, mailboxes: 0, skipped: 0 };
    for (const mailbox of mailboxesIn(job.mailFolders)) await cleanMailbox(mailbox, job, state, report);
    if (!job.dryRun) state.forget(job.clock.now() - REMEMBERED_MS);
    return report;
  } finally {
    states.close();
  }
}

async function forgetAgents(job: Cleanup, state: DeliveryState): Promise<{ offline: number; stale: number }> {
  const { mailFolders, windows, staleHours, dryRun, clock, warn } = job;
  const known = windows && new Set([...windows, ...state.remoteAgents(clock.now() - REMOTE_AGENT_LASTS_MS)]);
  const [offline, stale] = [new Set<string>(), new Set<string>()];
  const stays = ({ name, updatedAt }: Presence) => {
    if (known && !known.has(name)) offline.add(name);
    else if (updatedAt < clock.now() - staleHours * HOUR_MS) stale.add(name);
    else return true;
    return false;
  };
  for (const folder of mailFolders.read) {
    // All folders are read, because a dry run counts here.
    const going = (await readPresences(folder)).filter((presence) => !stays(presence));
    if (going.length > 0 && !dryRun) await changePresences(folder, warn, (all) => all.filter(stays));
  }
  return { offline: offline.size, stale: stale.size };
}

async function cleanMailbox(mailbox: string, job: Cleanup, state: DeliveryState, report: CleanupReport): Promise<void> {
  const { clock, dryRun, deliveredHours, warn } = job;
  const isDone = ({ isRead, createdAt }: Letter) =>
    isRead && createdAt !== undefined && timeOf(createdAt) < clock.now() - deliveredHours * HOUR_MS;
  try {
    const letters = await readLetters(mailbox);
    const done = letters.filter(isDone);
    if (done.length === 0) return;
    report.messages += done.length;
    report.mailboxes += done.length === letters.length && isLeftBehind(mailbox, job) ? 1 : 0;
    if (dryRun) return;
    await withMailbox(mailbox, warn, (box) => {
      for (const { id } of box.remove(isDone)) state.fetched(id, clock.now());
      state.dropHint(relative(job.mailFolders.main, mailbox));
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BUSY') throw error;
    report.skipped += 1;
  }
}

/** Whether no window of that name exists. */
function isLeftBehind(mailbox: string, { windows }: Cleanup): boolean {
  const name = nameOfMailboxFile(basename(mailbox));
  return windows !== undefined && name !== undefined && !windows.includes(name);
}

function mailboxesIn({ read }: MailFolders): string[] {
  return read.flatMap((folder) => {
    const mailboxes = join(folder, 'mailboxes');
    if (!statOf(mailboxes)?.isDirectory()) return [];
    return listFolder(mailboxes, { within: dirname(folder), max: MAX_MAILBOXES })
      .filter((name) => nameOfMailboxFile(name) !== undefined)
      .map((name) => join(mailboxes, name))
      .filter((path) => statOf(path)?.isFile());
  });
}

/** The original's zero time means that there is none. */
function timeOf(createdAt: string): number {
  return createdAt.startsWith('0001-') ? Number.POSITIVE_INFINITY : Date.parse(createdAt);
}
