import { type AgentmailParts, agentmailCapability } from '../agentmail/capability.ts';
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

/** Agent mail with everything behind it, opened when it is first needed. */
export function composeAgentmail({ store, clock, log }: AgentmailNeeds): Capability {
  const warn = (message: string) => log.warn({}, message);
  /** How to close what has been opened, in this order. */
  const closing: (() => unknown)[] = [];
  const index = opensLate(async () => (await store()).letters);
  const book = opensLate(async () => (await store()).repositories);
  const post = once(async () => {
    const { createPostOffice } = await import('../agentmail/post-office.ts');
    const opened = createPostOffice({ clock, warn });
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
      identities: opensLate(identities),
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
        for (const close of closing) await close();
      },
      welcome: (origin) => soon(async () => (await identities()).welcome(origin)),
    },
  );
}
