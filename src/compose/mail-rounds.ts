import { existsSync } from 'node:fs';
import type { Mailmen } from '../agentmail/mailman/mailmen.ts';
import type { Session } from '../agentmail/mailman/sessions.ts';
import type { Origin } from '../domain/origin.ts';
import type { Log } from '../lib/log.ts';

interface MailRoundsParts {
  log: Pick<Log, 'debug'>;
  /** The session that a caller is in; undefined outside tmux. */
  sessionFor(origin: Origin): Promise<Session | undefined>;
  mailmen(): Promise<Mailmen>;
}

const FOLLOWED_AGAIN_MS = 30_000;
const MOST_FOLLOWED = 1_000;

/** The mailmen of the repositories whose agents have called, each in the sessions they called from. */
export function createMailRounds({ log, sessionFor, mailmen }: MailRoundsParts) {
  const followed = new Map<string, number>();
  const searches = new Set<Promise<void>>();
  let opened: Mailmen | undefined;
  let isStopped = false;

  async function find(origin: Origin, main: string): Promise<void> {
    const session = await sessionFor(origin);
    if (isStopped || !session) return;
    opened = await mailmen();
    // A mailman that begins now would keep a process that is ending.
    if (!isStopped) opened.watch(main, session);
  }

  return {
    /** Returns at once. Whoever calls all the time is not looked for all the time. */
    follow(origin: Origin, main: string): void {
      const key = JSON.stringify([main, origin.tmux, origin.tmuxPane, origin.tmux === undefined ? origin.pid : 0]);
      const now = Date.now();
      if (isStopped || now - (followed.get(key) ?? 0) < FOLLOWED_AGAIN_MS || !existsSync(main)) return;
      if (followed.size > MOST_FOLLOWED) followed.clear();
      followed.set(key, now);
      const search = find(origin, main)
        .catch((err: unknown) => log.debug({ err }, 'the session of an agent was not found'))
        .finally(() => searches.delete(search));
      searches.add(search);
    },
    isBusy: () => opened?.isBusy() === true,
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all(searches);
      await opened?.stop();
    },
  };
}
