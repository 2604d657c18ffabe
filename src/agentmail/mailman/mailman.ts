import { statSync } from 'node:fs';
import { systemClock } from '../../lib/clock.ts';
import { createDeliveryStates } from '../delivery/delivery-states.ts';
import { createUnreadReader } from '../mailbox/unread-reader.ts';
import { foldersOf } from './agents.ts';
import { watchMail } from './mail-watch.ts';
import { makeRound, newMemory } from './round.ts';
import { makeRounds } from './rounds.ts';
import { type AgentSession, viewSessions } from './sessions.ts';

export interface MailmanOptions {
  /** The shared mail folder of a repository. */
  main: string;
  /** The sessions whose agents it wakes, read again in every round. */
  sessions(): Promise<readonly AgentSession[]> | readonly AgentSession[];
  /** Whether it ends when none of them is left. */
  endsWithSessions: boolean;
  onGone?(session: AgentSession): void;
  log(line: string): void;
  signal: AbortSignal;
  env?: NodeJS.ProcessEnv;
}

/** Why a mailman has ended. */
export type MailmanEnding = 'stopped' | 'session gone' | 'folder gone';

const LOOK_AROUND_MS = 1_500;
/** Interval of polling where folders cannot be watched. */
const DEAF_SWEEP_MS = 5_000;

/** Wakes agents that are ready and have mail, until it is stopped or its sessions have ended. */
export async function runMailman(options: MailmanOptions): Promise<MailmanEnding> {
  const { main, log, signal } = options;
  const states = createDeliveryStates(log);
  const memory = newMemory(systemClock.now());
  const ended = Promise.withResolvers<MailmanEnding>();
  const state = states.of(main);
  const read = createUnreadReader(state, main);
  const parts = { main, state, read, clock: systemClock, env: options.env ?? process.env, log };
  const complain = onceEach(log);
  const watcher = watchMail(
    () => rounds.request(),
    (folder, error) => complain(`cannot watch ${folder} and looks every 5 s instead: ${(error as Error).message}`),
  );

  async function round(): Promise<{ againInMs: number }> {
    try {
      const view = await viewSessions(await options.sessions());
      watcher.follow(foldersOf(main, view.windows));
      const { againInMs } = await makeRound(parts, view, memory);
      return { againInMs: watcher.isWhole() ? againInMs : Math.min(againInMs, DEAF_SWEEP_MS) };
    } catch (thrown) {
      complain(`a round failed: ${(thrown as Error).message}`);
      return { againInMs: DEAF_SWEEP_MS };
    }
  }

  const rounds = makeRounds(round);
  const folder = identityOf(main);
  let windows = '';
  const lookAround = setInterval(async () => {
    if (identityOf(main) !== folder) return ended.resolve('folder gone');
    const sessions = await options.sessions();
    const view = await viewSessions(sessions).catch(() => undefined);
    if (!view) return;
    for (const session of sessions) if (!view.alive.includes(session)) options.onGone?.(session);
    if (options.endsWithSessions && view.alive.length === 0) return ended.resolve('session gone');
    // No file event reports a new, closed or renamed window.
    const now = view.windows.map(({ key, name }) => `${key} ${name}`).join('\n');
    if (now !== windows) rounds.request();
    windows = now;
  }, LOOK_AROUND_MS);
  signal.addEventListener('abort', () => ended.resolve('stopped'), { once: true });
  if (signal.aborted) ended.resolve('stopped');
  rounds.request();

  try {
    return await ended.promise;
  } finally {
    clearInterval(lookAround);
    watcher.close();
    await rounds.stop();
    // No attempt is made any more.
    if (state.unwoken().length > 0) state.keepUnwoken([]);
    states.close();
  }
}

/** A repeated failure is logged once. */
function onceEach(log: (line: string) => void): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (said.has(line)) return;
    said.add(line);
    log(line);
  };
}

/** A folder that was removed and created again is another one. */
function identityOf(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : 'gone';
}
