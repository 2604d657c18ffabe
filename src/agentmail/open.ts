import type { CapabilityParts, OpenCapability } from '../capability.ts';
import { once, opensLate } from '../lib/once.ts';
import { chatSource } from './chat-source.ts';
import { createClosing } from './closing.ts';
import { mailGuide } from './guide.ts';
import { mayReadLetters } from './letter-access.ts';
import { openSessionMailmen } from './mailman/session-mailmen.ts';
import { notingLetters } from './noting-letters.ts';
import type { AgentmailParts, IndexParts } from './operations/parts.ts';
import type { AgentmailStore, KnownRepositories } from './ports.ts';

/** Background work waits until the first clients have been served. */
const BACKGROUND_DELAY_MS = 1_000;

type Given = CapabilityParts<AgentmailStore, object>;
type Opened = Omit<OpenCapability, 'operations'> & { parts: AgentmailParts & IndexParts };

/** The dependencies of the operations, and the background work. Everything is loaded and opened on first use. */
export function openParts({ home, store, events, clock, log, service }: Given): Opened {
  const chat = service('chat');
  const outbox = service('outbox');
  const warn = (message: string) => log.warn({}, message);
  const closing = createClosing();
  const mailmen = openSessionMailmen(log);
  const background = createBackground((err) => log.warn({ err }, 'background work of agent mail failed'));

  const known = opensLate(async () => (await store()).repositories);
  const announced = once(async () => {
    const { createAnnouncedRepositories } = await import('./announced/announced-repositories.ts');
    return createAnnouncedRepositories({ home, repositories: known, clock, log });
  });
  const repositories: KnownRepositories = {
    note: known.note,
    folders: known.folders,
    async list() {
      await (await announced()).collect();
      return known.list();
    },
  };
  const ownLetters = opensLate(async () => (await store()).ownLetters);
  const index = opensLate(
    once(async () => {
      const { createLetterIndex } = await import('./indexer/letter-index.ts');
      const { messages, chats, sources } = chat;
      const onMail = () => sources.appeared('agentmail');
      return createLetterIndex({ ...(await store()), messages, chats, events: await events(), clock, onMail });
    }),
  );
  const indexer = once(async () => {
    const { createIndexer } = await import('./indexer/indexer.ts');
    const opened = createIndexer({ index, repositories, log });
    await closing.add(opened.stop);
    return opened;
  });
  const post = once(async () => {
    const { createPostOffice } = await import('./delivery/post-office.ts');
    const opened = createPostOffice({ clock, warn, guard: await loopGuard(warn), isOwnLetter: ownLetters.has });
    await closing.add(opened.close);
    return opened;
  });
  const identities = once(async () => {
    const [{ createIdentities }, { createRemoteAgents }] = await Promise.all([
      import('./identity/identities.ts'),
      import('./identity/remote-agents.ts'),
    ]);
    const remoteAgents = createRemoteAgents({ clock, warn });
    await closing.add(remoteAgents.close);
    return createIdentities({ repositories, remoteAgents, clock, log });
  });
  /** Letters of the user do not count as an agent's answers, so this one has no loop guard. */
  const humanPost = once(async () => {
    const { createPostOffice } = await import('./delivery/post-office.ts');
    const opened = createPostOffice({ clock, warn, addOwnLetter: ownLetters.add });
    await closing.add(opened.close);
    return opened;
  });
  const source = chatSource(async (host) => {
    const [{ createChatConnection }, { humanContext }] = await Promise.all([
      import('./chat-connection.ts'),
      import('./identity/human-context.ts'),
    ]);
    const humanIn = (folder: string) => humanContext(folder, repositories);
    const connectionParts = { repositories, indexer: await indexer(), post: await humanPost(), humanIn, log };
    return createChatConnection(host, connectionParts);
  });
  chat.sources.provide({
    owns: (id) => id === source.id,
    mayRead: mayReadLetters,
    definitions: async () => ((await repositories.list()).length === 0 ? [] : [source]),
  });

  const parts: AgentmailParts & IndexParts = {
    identities: {
      async of(caller) {
        const at = await (await identities()).of(caller);
        const { origin } = caller;
        // Later, because this call may be the one that makes the folder.
        if (origin) background.run(async () => mailmen.follow(origin, at.mailFolders.main));
        return at;
      },
    },
    post: opensLate<AgentmailParts['post']>(post),
    index,
    indexer: opensLate<IndexParts['indexer']>(indexer),
    clock,
  };
  const guide = mailGuide({
    async isAgent(origin) {
      const { agentContextOf } = await import('./identity/agent-context.ts');
      return agentContextOf(origin).then(
        () => true,
        () => false,
      );
    },
    later: background.run,
  });
  return {
    parts,
    guide,
    partsFor: (_, context) => notingLetters(parts, (chats) => outbox.noteRead(context, chats)),
    async start() {
      background.start();
      background.run(async () => {
        const { start, refresh } = await indexer();
        await start();
        const stopListening = (await announced()).listen(() => background.run(refresh));
        await closing.add(stopListening);
      });
    },
    async stop() {
      background.stop();
      await mailmen.stop();
      await closing.closeAll();
    },
    keepsDaemonAlive: mailmen.isBusy,
    welcome: (origin) =>
      background.run(async () => {
        await (await identities()).welcome(origin);
        const { mailFoldersFor } = await import('./mailbox/mail-folders.ts');
        const main = mailFoldersFor(origin.cwd)?.main;
        if (main !== undefined) mailmen.follow(origin, main);
      }),
  };
}

/** Runs work after a delay, if the capability is started by then and not stopped. */
function createBackground(onError: (error: unknown) => void) {
  const timers = new Set<NodeJS.Timeout>();
  let isStarted = false;
  let isStopped = false;
  return {
    start(): void {
      isStarted = true;
    },
    run(work: () => Promise<unknown>): void {
      if (isStopped) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        if (isStarted) work().catch(onError);
      }, BACKGROUND_DELAY_MS);
      timer.unref();
      timers.add(timer);
    },
    stop(): void {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** The mailman shows users that two agents were stopped; it is logged too. */
async function loopGuard(warn: (message: string) => void) {
  const [{ createLoopGuard }, { leaveToMailman }] = await Promise.all([
    import('./delivery/loop-guard.ts'),
    import('./mailman/tell-human.ts'),
  ]);
  return createLoopGuard({
    env: process.env,
    async onStop({ mailFolders }, text) {
      warn(text);
      await leaveToMailman(mailFolders.main, async () => {});
    },
  });
}
