import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import type { MailFolders } from '../agent.ts';
import { type CleanupReport, cleanUp } from '../mailbox/cleanup.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { allPanes, TmuxFailure, tmuxSync } from '../tmux/tmux.ts';
import { type CommandCall, type CommandOutcome, refuseMoreWords, tmuxLocationIn } from './command.ts';
import { failedTo } from './failure.ts';
import { STDERR, writeAll } from './output.ts';

const STALE_HOURS = 48;
const DELIVERED_HOURS = 2;

export async function runCleanup({ line, world }: CommandCall): Promise<CommandOutcome> {
  refuseMoreWords(line.words, 0);
  const dryRun = line.has('dry-run');
  const windows = await windowsOf(world);
  try {
    const report = await cleanUp({
      mailFolders: mailFoldersFor(world.origin.cwd) ?? mailFoldersBeside(world.origin.cwd),
      ...(windows ? { windows } : {}),
      staleHours: line.number('stale-hours') ?? STALE_HOURS,
      deliveredHours: line.number('delivered-hours') ?? DELIVERED_HOURS,
      dryRun,
      clock: systemClock,
      warn,
    });
    if (report.skipped > 0) warn(`Skipped ${report.skipped} locked file(s)`);
    return { text: asText(report, dryRun), json: viewOf(report, dryRun) };
  } catch (thrown) {
    throw failedTo('clean up', thrown);
  }
}

/**
 * Names of the windows of all sessions, because agents of one repository may be in several; undefined where tmux
 * cannot list them.
 */
async function windowsOf(world: CommandCall['world']): Promise<string[] | undefined> {
  const where = await tmuxLocationIn(world);
  if (where.kind === 'outside') warn('not running in tmux session, skipping offline recipient check');
  if (where.kind === 'lost') warnOfWindows(where.cause);
  if (where.kind !== 'inside') return undefined;
  try {
    return (await allPanes(where.socket, tmuxSync)).map(({ windowName }) => windowName);
  } catch (thrown) {
    if (!(thrown instanceof TmuxFailure)) throw thrown;
    warnOfWindows(thrown.message);
    return undefined;
  }
}

function warnOfWindows(cause: string): void {
  warn(`failed to list windows: ${cause}, skipping offline recipient check`);
}

/** Outside a Git repository, mail may be in the folder itself. */
function mailFoldersBeside(folder: string): MailFolders {
  const main = join(folder, '.agentmail');
  return { main, read: [main], forFolder: () => main };
}

function asText({ offline, stale, messages, mailboxes }: CleanupReport, dryRun: boolean): string {
  const what = dryRun ? 'to remove' : 'removed';
  return `${dryRun ? 'Cleanup preview (dry-run)' : 'Cleanup complete'}:
  Recipients ${what}: ${offline + stale} (${offline} offline, ${stale} stale)
  Messages ${what}: ${messages}
  Mailboxes ${what}: ${mailboxes}
`;
}

function viewOf({ offline, stale, messages, mailboxes, skipped }: CleanupReport, dryRun: boolean): object {
  const recipients = { offline, stale };
  return {
    dry_run: dryRun,
    recipients_removed: recipients,
    messages_removed: messages,
    mailboxes_removed: mailboxes,
    skipped,
  };
}

function warn(words: string): void {
  writeAll(STDERR, `Warning: ${words}\n`);
}
