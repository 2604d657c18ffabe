import { type AgentmailParts, agentmailOffer } from '../agentmail/capability.ts';
import type { AgentmailStore } from '../agentmail/ports.ts';
import { agentmailStore } from '../agentmail/store.ts';
import { type CapabilityParts, defineCapability, type OpenCapability } from '../capability.ts';
import type { Log } from '../lib/log.ts';
import { once, opensLate } from '../lib/once.ts';
import { createClosing } from './closing.ts';
import { createMailRounds } from './mail-rounds.ts';

/** What is not asked for at once waits until clients have been served. */
const LATER_MS = 1_000;

/** Mail between agents. */
export const agentmail = defineCapability({
  name: 'agentmail',
  invalidInput: 'VALIDATION_ERROR',
  config: () => import('../agentmail/settings.ts'),
  store: agentmailStore,
  open: openAgentmail,
});

function openAgentmail({
  store,
  events,
  clock,
  log,
  service,
}: CapabilityParts<AgentmailStore, object>): OpenCapability {
  const chat = service('chat');
  const warn = (message: string) => log.warn({}, message);
  const closing = createClosing();
  const index = opensLate(
    once(async () => {
      const { createLetterIndex } = await import('../agentmail/indexer/letter-index.ts');
      const { messages, chats, noteMail: onMail } = chat;
      return createLetterIndex({ ...(await store()), messages, chats, events: await events(), clock, onMail });
    }),
  );
  const repositories = opensLate(async () => (await store()).repositories);
  const post = once(async () => {
    const { createPostOffice } = await import('../agentmail/delivery/post-office.ts');
    const opened = createPostOffice({ clock, warn, guard: await loopGuard(warn) });
    await closing.add(opened.close);
    return opened;
  });
  const identities = once(async () => {
    const [{ createIdentities }, { createRemoteAgents }] = await Promise.all([
      import('../agentmail/identity/identities.ts'),
      import('../agentmail/identity/remote-agents.ts'),
    ]);
    const remoteAgents = createRemoteAgents({ clock, warn });
    await closing.add(remoteAgents.close);
    return createIdentities({ repositories, remoteAgents, clock, log });
  });
  const rounds = mailRounds(log);
  const indexer = once(async () => {
    const { createIndexer } = await import('../agentmail/indexer/indexer.ts');
    const opened = createIndexer({ index, repositories, log });
    await closing.add(opened.stop);
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

  async function mailSourceParts() {
    const [{ createPostOffice }, { remoteContext }, { HUMAN }] = await Promise.all([
      import('../agentmail/delivery/post-office.ts'),
      import('../agentmail/identity/remote-context.ts'),
      import('../agentmail/indexer/letter-message.ts'),
    ]);
    // Nobody counts how often a person answers.
    const ownPost = createPostOffice({ clock, warn });
    await closing.add(ownPost.close);
    return {
      repositories,
      indexer: await indexer(),
      post: ownPost,
      log,
      humanIn: (folder: string) =>
        remoteContext(HUMAN, {
          repositories: {
            ...repositories,
            list: async () => (await repositories.list()).filter((known) => known.folder === folder),
          },
          remoteAgents: { saw: async () => {}, isKnownIn: async () => true },
        }),
    };
  }

  chat.provideSources(async () => {
    const { mailSource } = await import('./mail-source.ts');
    return (await repositories.list()).length === 0 ? [] : [mailSource(once(mailSourceParts))];
  });

  return {
    ...agentmailOffer({
      identities: {
        async of(caller) {
          const at = await (await identities()).of(caller);
          const { origin } = caller;
          // Later, because this call may be the one that makes the folder.
          if (isRunning && origin) soon(async () => rounds.follow(origin, at.mailFolders.main));
          return at;
        },
      },
      post: opensLate<AgentmailParts['post']>(post),
      index,
      indexer: opensLate(indexer),
      clock,
    }),
    async start() {
      isRunning = true;
      soon(async () => {
        const opened = await indexer();
        if (isRunning) await opened.start();
      });
    },
    async stop() {
      isRunning = false;
      for (const timer of later) clearTimeout(timer);
      await rounds.stop();
      await closing.closeAll();
    },
    keepsDaemonAlive: rounds.isBusy,
    welcome: (origin) =>
      soon(async () => {
        await (await identities()).welcome(origin);
        const { mailFoldersFor } = await import('../agentmail/mailbox/mail-folders.ts');
        const main = mailFoldersFor(origin.cwd)?.main;
        if (isRunning && main !== undefined) rounds.follow(origin, main);
      }),
  };
}

/** Mailmen are there only once somebody has called from a session. */
function mailRounds(log: Log) {
  return createMailRounds({
    log,
    mailmen: once(async () => (await import('../agentmail/mailman/mailmen.ts')).createMailmen({ log })),
    async sessionFor(origin) {
      const [{ tmuxLocationOf }, { sessionOf }] = await Promise.all([
        import('../agentmail/tmux/tmux-location.ts'),
        import('../agentmail/mailman/sessions.ts'),
      ]);
      const where = await tmuxLocationOf(origin);
      return where.kind === 'inside' && where.me.pane !== undefined
        ? sessionOf(where.socket, where.me.pane)
        : undefined;
    },
  });
}

/** The mailman tells people that two agents were stopped; the log says it too. */
async function loopGuard(warn: (message: string) => void) {
  const [{ createLoopGuard }, { leaveToMailman }] = await Promise.all([
    import('../agentmail/delivery/loop-guard.ts'),
    import('../agentmail/mailman/tell-human.ts'),
  ]);
  return createLoopGuard({
    env: process.env,
    async onStop({ mailFolders }, words) {
      warn(words);
      await leaveToMailman(mailFolders.main, async () => {});
    },
  });
}
