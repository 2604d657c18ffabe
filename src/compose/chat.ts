import { type ChatParts, chatCapability } from '../chat/capability.ts';
import type { SourceDefinition } from '../chat/engine/definition.ts';
import type { Engine } from '../chat/engine/engine.ts';
import { chatSender } from '../chat/sending.ts';
import type { Config } from '../config/schema.ts';
import type { OutboxPort } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { once, opensLate } from '../lib/once.ts';
import type { Capability } from '../operation.ts';
import type { Store } from '../storage/store.ts';
import { configuredPolicy } from './token-facts.ts';

interface ChatNeeds {
  home: string;
  outbox: OutboxPort;
  settings(): Promise<Config>;
  store(): Promise<Store>;
  clock: Clock;
  log: Log;
  /** Sources that other parts of the program bring along. */
  more(): Promise<readonly SourceDefinition[]>;
}

/** Networks are connected once the first clients have been served. */
const LATER_MS = 300;

export interface ComposedChat {
  capability: Capability;
  /** How each source is. */
  statuses(): Promise<{ id: string; name: string; is_connected: boolean }[]>;
  /** Agent mail has come; the first time that makes it a source. */
  noteMail(): Promise<void>;
  addDemo(): Promise<void>;
}

/** Chat with everything behind it, opened when it is first needed. */
export function composeChat({ home, settings, store, outbox, clock, log, more }: ChatNeeds): ComposedChat {
  const engine = once(async () => {
    const [{ createEngine }, { messages, chats, sources }] = await Promise.all([
      import('../chat/engine/engine.ts'),
      store(),
    ]);
    const made = createEngine({ messages, chats, sourceRepository: sources, clock, log, onConnected: outbox.retryNow });
    await made.apply(await definitions());
    return made;
  });
  const imports = once(async () => {
    const { createImportRunner } = await import('./import.ts');
    const runner = createImportRunner({ home, url: (await settings()).store.url });
    stopImports = runner.stop;
    return runner;
  });
  let stopImports = async () => {};
  let starting: NodeJS.Timeout | undefined;
  let isOpen = false;
  let knowsMail = false;
  let reloading: Promise<void> = Promise.resolve();
  let opened: Engine | undefined;
  const started = Promise.withResolvers<void>();

  async function definitions(): Promise<readonly SourceDefinition[]> {
    const [{ createSourceDefinitions }, { SOURCE_KINDS }, config, { sources }] = await Promise.all([
      import('../chat/configured-sources.ts'),
      import('../connectors/registry.ts'),
      settings(),
      store(),
    ]);
    const { configured, stored } = createSourceDefinitions(SOURCE_KINDS, home);
    // The file goes before what was added by a command, and both before what comes along: of one id the first is meant.
    return [...configured(config.sources), ...stored(await sources.list()), ...(await more())];
  }

  /** One after the other: what was read first must not be applied last. */
  function reload(): Promise<void> {
    const next = async () => {
      if (isOpen) await (await engine()).apply(await definitions());
    };
    reloading = reloading.then(next, next);
    return reloading;
  }

  const parts: ChatParts = {
    sources: opensLate<ChatParts['sources']>(engine),
    chats: opensLate(async () => (await store()).chats),
    messages: opensLate(async () => (await store()).messages),
    sourceRepository: opensLate(async () => (await store()).sources),
    events: opensLate(async () => {
      const { read, range } = (await store()).events;
      return { read, range };
    }),
    listen: async (listener) => (await store()).events.listen(listener),
    webhooks: {
      async secretOf(id) {
        const source = (await settings()).sources[id];
        return source?.kind === 'webhook' ? source.secret : undefined;
      },
    },
    imports: opensLate<ChatParts['imports']>(imports),
    sending: {
      async addressOf(source, text) {
        await startedIfEver();
        return (await engine()).addressOf(source, text);
      },
    },
    accounts: {
      async signedOnOrOff(source) {
        await startedIfEver();
        await (await engine()).signedOnOrOff(source);
      },
    },
    outbox,
    clock,
    reloadSources: reload,
  };

  /** Where a command does by itself what a daemon would do, no source is ever started. */
  async function startedIfEver(): Promise<void> {
    if (isOpen) await started.promise;
  }

  outbox.register(
    chatSender({
      async send(source, outgoing) {
        await started.promise;
        return (await engine()).send(source, outgoing);
      },
      wasSent: async (source, outgoing) => (await engine()).wasSent(source, outgoing),
      async policyOf(source) {
        const policy = (await settings()).sources[source]?.policy;
        return policy && { whose: `The policy of source '${source}'`, policy: configuredPolicy(policy) };
      },
      log,
    }),
  );

  const capability = chatCapability(parts, {
    async start() {
      isOpen = true;
      const made = await engine();
      opened = made;
      const startSources = () =>
        made.start().catch((err: unknown) => log.error({ err }, 'the sources could not be started'));
      starting = setTimeout(() => void startSources().then(started.resolve), LATER_MS);
    },
    async stop() {
      clearTimeout(starting);
      // Nobody waits for networks that will not be connected any more.
      started.resolve();
      isOpen = false;
      await stopImports();
      await (await engine()).stop();
    },
    isBusy: () => opened?.isBusy() ?? false,
    reconfigured: reload,
  });

  return {
    capability,
    async statuses() {
      const sources = await (await engine()).list();
      return sources.map(({ id, name, isConnected }) => ({ id, name, is_connected: isConnected }));
    },
    async noteMail() {
      if (!isOpen || knowsMail) return;
      await reload();
      knowsMail = true;
    },
    async addDemo() {
      const { demoHistory, DEMO } = await import('../chat/demo.ts');
      const { messages, sources } = await store();
      if ((await sources.list()).some(({ id }) => id === DEMO.id)) return;
      await messages.record({ source: DEMO.id, events: demoHistory(clock.now()), origin: 'import' });
      await sources.add({ ...DEMO, createdAt: clock.now() });
      await reload();
    },
  };
}
