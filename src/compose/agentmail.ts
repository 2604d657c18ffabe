import { existsSync } from 'node:fs';
import { type AgentmailParts, agentmailCapability } from '../agentmail/capability.ts';
import type { Mailmen } from '../agentmail/mailman/mailmen.ts';
import type { Origin } from '../domain/origin.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { once, opensLate } from '../lib/once.ts';
import type { Capability } from '../operation.ts';
import type { Store } from '../storage/store.ts';

interface AgentmailNeeds {
  store(): Promise<Store>;
  clock: Clock;
  log: Log;
}

/** What is not asked for at once waits until clients have been served. */
const LATER_MS = 1_000;

const FOLLOWED_AGAIN_MS = 30_000;
const MOST_FOLLOWED = 1_000;

/** Agent mail with everything behind it, opened when it is first needed. */
export function composeAgentmail({ store, clock, log }: AgentmailNeeds): Capability {
  const warn = (message: string) => log.warn({}, message);
  /** How to close what has been opened, in this order. */
  const closing: (() => unknown)[] = [];
  const index = opensLate(async () => (await store()).letters);
  const book = opensLate(async () => (await store()).repositories);
  const post = once(async () => {
    const { createPostOffice } = await import('../agentmail/post-office.ts');
    const opened = createPostOffice({ clock, warn, guard: await loopGuard(warn) });
    closing.push(opened.close);
    return opened;
  });
  const identities = once(async () => {
    const [{ createIdentities }, { createRemoteAgents }] = await Promise.all([
      import('../agentmail/identity/identities.ts'),
      import('../agentmail/identity/remote-agents.ts'),
    ]);
    const remoteAgents = createRemoteAgents({ clock, warn });
    closing.push(remoteAgents.close);
    return createIdentities({ book, remoteAgents, clock, log });
  });
  const rounds = createMailRounds(log);
  const indexer = once(async () => {
    const { createIndexer } = await import('../agentmail/indexer/indexer.ts');
    const opened = createIndexer({ index, book, log });
    closing.push(opened.stop);
    return opened;
  });
  const later = new Set<NodeJS.Timeout>();
  let isRunning = false;

  function soon(work: () => Promise<unknown>): void {
    const timer = setTimeout(() => {
      later.delete(timer);
      work().catch((err: unknown) => log.warn({ err }, 'agent mail could not be looked after'));
    }, LATER_MS);
    timer.unref();
    later.add(timer);
  }

  return agentmailCapability(
    {
      identities: {
        async of(caller) {
          const at = await (await identities()).of(caller);
          const { origin } = caller;
          // Later, because this call may be the one that makes the folder.
          if (isRunning && origin) soon(async () => rounds.follow(origin, at.places.main));
          return at;
        },
      },
      post: opensLate<AgentmailParts['post']>(post),
      index,
      indexer: opensLate(indexer),
      clock,
    },
    {
      async start() {
        isRunning = true;
        soon(async () => isRunning && (await indexer()).start());
      },
      async stop() {
        isRunning = false;
        for (const timer of later) clearTimeout(timer);
        await rounds.stop();
        for (const close of closing) await close();
      },
      isBusy: rounds.isBusy,
      welcome: (origin) =>
        soon(async () => {
          await (await identities()).welcome(origin);
          const { placesFor } = await import('../agentmail/places.ts');
          const main = placesFor(origin.cwd)?.main;
          if (isRunning && main !== undefined) rounds.follow(origin, main);
        }),
    },
  );
}

/** The mailmen of the repositories whose agents have called, each in the sessions they called from. */
function createMailRounds(log: Log) {
  const mailmen = once(async () => (await import('../agentmail/mailman/mailmen.ts')).createMailmen({ log }));
  const followed = new Map<string, number>();
  let opened: Mailmen | undefined;

  async function find(origin: Origin, main: string): Promise<void> {
    const [{ whereaboutsOf }, { sessionOf }] = await Promise.all([
      import('../agentmail/whereabouts.ts'),
      import('../agentmail/mailman/sessions.ts'),
    ]);
    const where = await whereaboutsOf(origin);
    if (where.kind !== 'inside' || where.me.pane === undefined) return;
    const session = await sessionOf(where.socket, where.me.pane);
    opened = await mailmen();
    if (session) opened.watch(main, session);
  }

  return {
    /** Returns at once. Whoever calls all the time is not looked for all the time. */
    follow(origin: Origin, main: string): void {
      const key = JSON.stringify([main, origin.tmux, origin.tmuxPane, origin.tmux === undefined ? origin.pid : 0]);
      const now = Date.now();
      if (now - (followed.get(key) ?? 0) < FOLLOWED_AGAIN_MS || !existsSync(main)) return;
      if (followed.size > MOST_FOLLOWED) followed.clear();
      followed.set(key, now);
      find(origin, main).catch((err: unknown) => log.debug({ err }, 'the session of an agent was not found'));
    },
    isBusy: () => opened?.isBusy() === true,
    stop: async () => opened?.stop(),
  };
}

/** The mailman tells people that two agents were stopped; the log says it too. */
async function loopGuard(warn: (message: string) => void) {
  const [{ createLoopGuard }, { leaveToMailman }] = await Promise.all([
    import('../agentmail/loop-guard.ts'),
    import('../agentmail/mailman/tell-human.ts'),
  ]);
  return createLoopGuard({
    env: process.env,
    async onStop({ places }, words) {
      warn(words);
      await leaveToMailman(places.main, async () => {});
    },
  });
}
