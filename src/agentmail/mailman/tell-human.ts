import { join } from 'node:path';
import { visible } from '../../lib/visible.ts';
import { touch } from '../repository/repository-file.ts';
import { TmuxFailure, tmux } from '../tmux/tmux.ts';
import { runningMailman } from './pid-file.ts';

const SHOWN_MS = 15_000;

/** Shows a line to all clients of a session; `target` is the session, or a pane of it. */
export async function showToPeople(socket: string, target: string, words: string): Promise<void> {
  // tmux expands the text as a format, and it contains names of agents.
  const shown = visible(words).replaceAll('#', '##');
  try {
    const clients = (await tmux(socket, ['list-clients', '-t', target, '-F', '#{client_name}'])).split('\n');
    for (const client of clients.filter((name) => name !== '')) {
      await tmux(socket, ['display-message', '-c', client, '-d', String(SHOWN_MS), '--', shown]);
    }
  } catch (thrown) {
    if (!(thrown instanceof TmuxFailure)) throw thrown;
  }
}

/**
 * The mailman shows it to users, and logs it; touching this file triggers its next round. Without a mailman this
 * process shows it.
 */
export async function leaveToMailman(mailFolder: string, otherwise: () => Promise<void>): Promise<void> {
  if (!(await runningMailman(join(mailFolder, 'mailman.pid')))) return otherwise();
  try {
    touch(join(mailFolder, 'recipients.jsonl'));
  } catch {
    // It has a round every minute anyway.
  }
}
