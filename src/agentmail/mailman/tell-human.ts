import { lutimesSync } from 'node:fs';
import { join } from 'node:path';
import { TmuxFailure, tmux } from '../tmux/tmux.ts';
import { runningMailman } from './pid-file.ts';

const SHOWN_MS = 15_000;

/** Shows a line to everybody who looks at a session; `target` is the session, or a pane of it. */
export async function showToPeople(socket: string, target: string, words: string): Promise<void> {
  try {
    const clients = (await tmux(socket, ['list-clients', '-t', target, '-F', '#{client_name}'])).split('\n');
    for (const client of clients.filter((name) => name !== '')) {
      // What is shown is expanded like a format, and names of agents are in it.
      await tmux(socket, ['display-message', '-c', client, '-d', String(SHOWN_MS), '--', words.replaceAll('#', '##')]);
    }
  } catch (thrown) {
    if (!(thrown instanceof TmuxFailure)) throw thrown;
  }
}

/** The mailman tells people, and logs it; it looks when this file is touched. Where there is none we tell them ourselves. */
export async function leaveToMailman(mailFolder: string, otherwise: () => Promise<void>): Promise<void> {
  if (!(await runningMailman(join(mailFolder, 'mailman.pid')))) return otherwise();
  const now = new Date();
  try {
    lutimesSync(join(mailFolder, 'recipients.jsonl'), now, now);
  } catch {
    // It looks once in a minute anyway.
  }
}
