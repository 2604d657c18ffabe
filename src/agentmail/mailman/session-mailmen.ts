import { existsSync } from 'node:fs';
import type { Origin } from '../../domain/origin.ts';
import type { Log } from '../../lib/log.ts';
import { once } from '../../lib/once.ts';
import type { Mailmen } from './mailmen.ts';
import type { AgentSession } from './sessions.ts';

interface SessionMailmenParts {
  log: Pick<Log, 'debug'>;
  /** The session that a caller is in; undefined outside tmux. */
  sessionFor(origin: Origin): Promise<AgentSession | undefined>;
  mailmen(): Promise<Mailmen>;
}

const FOLLOW_AGAIN_MS = 30_000;
const MAX_FOLLOWED = 1_000;

/** Mailmen are loaded when the first agent has called from a session. */
export function openSessionMailmen(log: Log) {
  return createSessionMailmen({
    log,
    mailmen: once(async () => (await import('./mailmen.ts')).createMailmen({ log })),
    async sessionFor(origin) {
      const [{ namedLocationOf }, { sessionOf }] = await Promise.all([
        import('../tmux/tmux-location.ts'),
        import('./sessions.ts'),
      ]);
      const where = await namedLocationOf(origin);
      return where.kind === 'inside' && where.me.pane !== undefined
        ? sessionOf(where.socket, where.me.pane)
        : undefined;
    },
  });
}

/** The mailmen of the repositories whose agents have called, each in the sessions they called from. */
export function createSessionMailmen({ log, sessionFor, mailmen }: SessionMailmenParts) {
  const followed = new Map<string, number>();
  const searches = new Set<Promise<void>>();
  let opened: Mailmen | undefined;
  let isStopped = false;

  async function find(origin: Origin, main: string): Promise<void> {
    const session = await sessionFor(origin);
    if (isStopped || !session) return;
    opened = await mailmen();
    // A mailman that begins now would keep a process alive that is ending.
    if (!isStopped) opened.watch(main, session);
  }

  return {
    /** Returns immediately. A session is not looked up again for some time. */
    follow(origin: Origin, main: string): void {
      const key = JSON.stringify([main, origin.tmux, origin.tmuxPane, origin.tmux === undefined ? origin.pid : 0]);
      const now = Date.now();
      if (isStopped || now - (followed.get(key) ?? 0) < FOLLOW_AGAIN_MS || !existsSync(main)) return;
      if (followed.size > MAX_FOLLOWED) followed.clear();
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
