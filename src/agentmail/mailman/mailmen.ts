import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backoffDelay } from '../../lib/backoff.ts';
import type { Log } from '../../lib/log.ts';
import { requireFolder } from '../repository/repository-file.ts';
import { runMailman } from './mailman.ts';
import { claimPidFile } from './pid-file.ts';
import { type AgentSession, viewSessions } from './sessions.ts';

/** Another process may be the mailman now, and exit before the sessions do. */
const RETRY = { firstMs: 1_000, longestMs: 30_000 };

/** The mailmen of a process that serves several repositories. */
export interface Mailmen {
  /** Wakes agents of this session, whose mail is in this folder, as long as the session exists. */
  watch(main: string, session: AgentSession): void;
  /** Whether one of them serves a session. */
  isBusy(): boolean;
  stop(): Promise<void>;
}

interface ServedRepository {
  sessions: Map<string, AgentSession>;
  isServed: boolean;
  work: Promise<void>;
}

export function createMailmen({ log }: { log: Pick<Log, 'info' | 'warn'> }): Mailmen {
  const repositories = new Map<string, ServedRepository>();
  const stopping = new AbortController();

  /** Serves a folder until its sessions have ended; waits while another process is the mailman. */
  async function serve(main: string, repository: ServedRepository): Promise<void> {
    for (let attempts = 1; !stopping.signal.aborted; attempts++) {
      const claim = requireFolder(main) ? await claimPidFile(join(main, 'mailman.pid')) : undefined;
      if (claim?.kind === 'claimed') return await run(main, repository, claim.release);
      const { alive } = await viewSessions([...repository.sessions.values()]);
      if (!claim || alive.length === 0) return;
      await pauseFor(backoffDelay(attempts, RETRY), stopping.signal);
    }
  }

  async function run(main: string, repository: ServedRepository, release: () => void): Promise<void> {
    repository.isServed = true;
    try {
      const ending = await runMailman({
        main,
        sessions: () => [...repository.sessions.values()],
        onGone: (session) => void repository.sessions.delete(keyOf(session)),
        endsWithSessions: true,
        signal: stopping.signal,
        log: (words) => log.info({ mail: main }, `mailman: ${words}`),
      });
      log.info({ mail: main, ending }, 'a mailman has ended');
    } finally {
      repository.isServed = false;
      release();
    }
  }

  function begin(main: string): ServedRepository {
    const repository: ServedRepository = { sessions: new Map(), isServed: false, work: Promise.resolve() };
    repositories.set(main, repository);
    // Started after its first session is added.
    repository.work = Promise.resolve()
      .then(() => serve(main, repository))
      .catch((err: unknown) => log.warn({ err, mail: main }, 'the mailman of a repository failed'))
      .finally(() => repositories.delete(main));
    return repository;
  }

  return {
    watch(main, session) {
      if (stopping.signal.aborted || !existsSync(main)) return;
      const { sessions } = repositories.get(main) ?? begin(main);
      sessions.set(keyOf(session), session);
    },
    isBusy: () => [...repositories.values()].some(({ isServed }) => isServed),
    async stop() {
      stopping.abort();
      await Promise.all([...repositories.values()].map(({ work }) => work));
    },
  };
}

function keyOf({ socket, serverPid, id }: AgentSession): string {
  return JSON.stringify([socket, serverPid, id]);
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref();
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
