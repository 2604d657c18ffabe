import type { SourceDefinition } from '../../../src/chat/engine/definition.ts';
import { createEngine } from '../../../src/chat/engine/engine.ts';
import type { LoginAnswer } from '../../../src/chat/engine/logins.ts';
import type { StoredMessage } from '../../../src/chat/ports.ts';
import type {
  Connection,
  Connector,
  Host,
  Login,
  Outgoing,
  SendOutcome,
  Sent,
} from '../../../src/connectors/connector.ts';
import { CONNECTORS } from '../../../src/connectors/registry.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { memorySecrets } from '../chat/memory-secrets.ts';
import { until } from '../mcp/shim-program.ts';
import { silentLog } from '../operation-context.ts';
import type { Store } from '../store/open-store.ts';
import { sentAs } from './outcomes.ts';

interface ConnectedSourceOptions {
  kind: string;
  settings: Record<string, unknown>;
  /** Replaces the connector of its kind. */
  open?(settings: never, host: Host): Connection;
  store: Pick<Store, 'messages' | 'chats' | 'sources'>;
  history?: { days: number; messages: number };
  secrets?: Map<string, string>;
}

export const SOURCE = 'network';

/** One source of a kind of network, kept connected by the engine. */
export async function startConnectedSource({
  kind,
  settings,
  store,
  history,
  secrets,
  ...given
}: ConnectedSourceOptions) {
  const connector = connectorOf(kind);
  const open = given.open ?? connector.open;
  let opened = 0;
  let sent = 0;
  const definition: SourceDefinition = {
    id: SOURCE,
    kind,
    name: kind,
    configuredIn: 'file',
    canStream: true,
    canSend: true,
    howToConnect: '',
    fingerprint: '',
    ...(history ? { history } : {}),
    login: (host) => connector.login?.(settings as never, host) ?? nothingToAsk(),
    open: async (host) => {
      opened++;
      return open(settings as never, host);
    },
  };
  const engine = createEngine({
    messages: store.messages,
    chats: store.chats,
    sourceRepository: store.sources,
    secrets: memorySecrets(secrets),
    clock: systemClock,
    log: silentLog,
    firstRetryMs: 20,
    retryMs: [20, 20, 20],
  });
  await engine.apply([definition]);
  await engine.start();

  const stored = (chat: string) => storedIn(store, chat);

  async function view() {
    const found = await engine.find(SOURCE);
    if (!found) throw new Error('the source is gone');
    return found;
  }

  function attempt(outgoing: Omit<Outgoing, 'id'>): Promise<SendOutcome> {
    return engine.send(SOURCE, { id: `${process.pid}-${++sent}`, ...outgoing });
  }

  return {
    /** How many connections were attempted. */
    opened: () => opened,
    view,
    stored,
    /** The message with this text, once it is stored. */
    arrived: (chat: string, text: string) => arrivedIn(store, chat, text),
    /** Resolves when the message with this id of the network fulfils the condition. */
    async becomes(chat: string, id: string, what: string, isSo: (message: StoredMessage) => boolean): Promise<void> {
      await until(what, async () => {
        const found = (await stored(chat)).find(({ externalId }) => externalId === id);
        return found !== undefined && isSo(found);
      });
    },
    texts: async (chat: string) => (await stored(chat)).map(({ text }) => text),
    isState: (state: string) => until(`the source is ${state}`, async () => (await view()).state === state),
    /** Resolves when all requested history is stored. */
    historySettled: async () => engine.live(SOURCE)?.historySettled(),
    attempt,
    login: (answer: LoginAnswer) => engine.login(SOURCE, answer),
    retry: () => engine.live(SOURCE)?.retry(),
    current: () => engine.live(SOURCE)?.connection(),
    /** Sends a message, which must succeed. */
    send: async (outgoing: Omit<Outgoing, 'id'>): Promise<Sent> => sentAs(await attempt(outgoing)),
    sendAs: async (outgoing: Outgoing): Promise<Sent> => sentAs(await engine.send(SOURCE, outgoing)),
    wasSent: (outgoing: Outgoing) => engine.wasSent(SOURCE, outgoing),
    stop: () => engine.stop(),
  };
}

export type ConnectedSource = Awaited<ReturnType<typeof startConnectedSource>>;

// biome-ignore lint/correctness/useYield: it has no questions
async function* nothingToAsk(): Login {
  return { kind: 'done' };
}

function connectorOf(kind: string): Connector<never> {
  const found = CONNECTORS.find((connector) => connector.kind === kind);
  if (!found) throw new Error(`there is no connector for ${kind}`);
  return found;
}

/** The message with this text, once it is stored. */
export async function arrivedIn(
  store: Pick<Store, 'messages' | 'chats'>,
  chat: string,
  text: string,
): Promise<StoredMessage> {
  let found: StoredMessage | undefined;
  await until(`“${text.slice(0, 40)}” is stored`, async () => {
    found = (await storedIn(store, chat)).find((message) => message.text === text);
    return found !== undefined;
  });
  return found as StoredMessage;
}

/** All stored messages of a chat, oldest first. */
export async function storedIn(
  { chats, messages }: Pick<Store, 'messages' | 'chats'>,
  chat: string,
): Promise<StoredMessage[]> {
  const [found] = await chats.resolve([SOURCE], chat);
  if (found?.id !== chat) return [];
  const newestFirst: StoredMessage[] = [];
  for (let hasMore = true; hasMore; ) {
    const beforeId = newestFirst.at(-1)?.id;
    const page = await messages.find(
      { chats: [found.key] },
      { limit: 500, ...(beforeId === undefined ? {} : { beforeId }) },
    );
    newestFirst.push(...page.messages);
    hasMore = page.hasMore;
  }
  return newestFirst.reverse();
}
