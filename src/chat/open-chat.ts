import type { CapabilityParts, OpenCapability } from '../capability.ts';
import { sendPolicy } from '../domain/policy.ts';
import { createListeners } from '../lib/listeners.ts';
import { once, opensLate } from '../lib/once.ts';
import type { ChatService, SourceProvider } from './capability.ts';
import type { SourceDefinition } from './engine/definition.ts';
import type { Engine } from './engine/engine.ts';
import type { SourceSecrets } from './engine/live-source.ts';
import { chatGuide } from './guide.ts';
import { createIndexUpdates } from './index-updates.ts';
import { type ChatParts, chatOffer, readableParts } from './offer.ts';
import type { ChatStores } from './ports.ts';
import { chatSender } from './sending.ts';
import type { ChatSettings } from './settings.ts';
import type { SourceKind } from './source-settings.ts';
import { SIGNED_OFF } from './sources.ts';

/** Networks are connected once the first clients have been served, or as soon as one of them needs a network. */
const LATER_MS = 300;

/** Dependencies that chat may not import: the networks, and the module of the import worker. */
export interface ChatOptions {
  /** Loaded when the first source is defined. */
  kinds(): Promise<readonly SourceKind[]>;
  importWorker: URL;
}

/** Chat at run time: its sources, opened at first use, and its background work. */
export function openChat(
  { kinds, importWorker }: ChatOptions,
  needs: CapabilityParts<ChatStores, ChatSettings>,
): OpenCapability {
  const { home, settings, store, events, clock, log } = needs;
  const outbox = needs.service('outbox');
  const providers: SourceProvider[] = [];
  const appeared = new Set<string>();
  const changes = createListeners();
  const engine = once(async () => {
    const [{ createEngine }, { messages, chats, sources }] = await Promise.all([import('./engine/engine.ts'), store()]);
    const made = createEngine({
      messages,
      chats,
      sourceRepository: sources,
      secrets: secretsOf(needs.secrets),
      clock,
      log,
      onConnected: outbox.retryNow,
    });
    await made.apply(await definitions());
    opened = made;
    return made;
  });
  const imports = once(async () => {
    const { createImportRunner } = await import('./import/runner.ts');
    const runner = createImportRunner(await needs.storeAddress(), importWorker);
    stopImports = runner.stop;
    const { isRunning } = runner;
    const run: typeof runner.run = (request, how) => indexUpdates.pausedDuring(() => runner.run(request, how));
    return { run, isRunning };
  });
  let stopImports = async () => {};
  let starting: NodeJS.Timeout | undefined;
  let isOpen = false;
  let reloading: Promise<void> = Promise.resolve();
  let opened: Engine | undefined;
  const closing = new AbortController();
  const indexUpdates = createIndexUpdates({
    index: async () => (await store()).searchIndex,
    log,
    signal: closing.signal,
  });
  let indexing: Promise<void> = Promise.resolve();
  const started = Promise.withResolvers<void>();
  const startSources = once(async () => {
    const made = await engine();
    await made.start().catch((err: unknown) => log.error({ err }, 'the sources could not be started'));
    started.resolve();
  });

  async function definitions(): Promise<readonly SourceDefinition[]> {
    const [{ createSourceDefinitions }, list, config, { sources }] = await Promise.all([
      import('./configured-sources.ts'),
      kinds(),
      settings(),
      store(),
    ]);
    const { configured, stored } = createSourceDefinitions(list, home);
    // Order of precedence for one id: the file, sources added by a command, sources of other capabilities.
    const provided = await Promise.all(providers.map((each) => each.definitions()));
    return [...configured(config.sources), ...stored(await sources.list()), ...provided.flat()];
  }

  /** Reloads run one after the other, so that an older configuration is never applied last. */
  function reload(): Promise<void> {
    const next = async () => {
      if (!isOpen) return;
      await (await engine()).apply(await definitions());
      changes.notify();
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
      const { read, range } = await events();
      return { read, range };
    }),
    listen: async (listener) => (await events()).listen(listener),
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
      async login(source, answer) {
        await startedIfEver();
        return (await engine()).login(source, answer);
      },
      async logout(source) {
        await startedIfEver();
        return (await engine()).logout(source);
      },
      async signedOnOrOff(source) {
        await startedIfEver();
        await (await engine()).signedOnOrOff(source);
        changes.notify();
      },
    },
    outbox,
    clock,
    hiddenFrom(principal) {
      const hidden = providers.filter((each) => !each.mayRead(principal));
      return { isEmpty: hidden.length === 0, has: (id) => hidden.some((each) => each.owns(id)) };
    },
    forgetSecrets: async (source) => void (await (await needs.secrets()).deleteGroup(groupOf(source))),
    reloadSources: reload,
  };

  /** A command that runs without a daemon never starts sources. */
  async function startedIfEver(): Promise<void> {
    if (isOpen) await startSources();
  }

  outbox.register(
    chatSender({
      async send(source, outgoing) {
        await startedIfEver();
        await started.promise;
        return (await engine()).send(source, outgoing);
      },
      wasSent: async (source, outgoing) => (await engine()).wasSent(source, outgoing),
      async policyOf(source) {
        const policy = (await settings()).sources[source]?.policy;
        return policy && { whose: `The policy of source '${source}'`, policy: sendPolicy(policy) };
      },
      mayRead: (principal, source) => !parts.hiddenFrom(principal).has(source),
      named: async (name, source) => (await store()).chats.named(name, source),
      log,
    }),
  );

  const service: ChatService = {
    messages: parts.messages,
    chats: parts.chats,
    sources: {
      provide: (provider) => void providers.push(provider),
      async appeared(id) {
        if (!isOpen || appeared.has(id)) return;
        await reload();
        appeared.add(id);
      },
      changed: reload,
      find: (id) => parts.sources.find(id),
      started: startedIfEver,
      async sign(id, direction) {
        await parts.sourceRepository.remember(id, SIGNED_OFF, direction === 'on' ? '' : 'yes');
        await parts.accounts.signedOnOrOff(id);
      },
      remove: async (id, progress) => (await store()).sources.remove(id, progress),
    },
    readableBy: (principal, context) => readableParts(parts, principal, context),
  };
  return {
    ...chatOffer(parts),
    guide: chatGuide({
      ready: async () => void (await engine()),
      known: () => opened?.known() ?? [],
      hiddenFrom: parts.hiddenFrom,
      isDenied: outbox.isDenied,
      onChange: changes.add,
    }),
    service,
    async start() {
      isOpen = true;
      await engine();
      starting = setTimeout(() => {
        void startSources();
        indexing = indexUpdates.run();
      }, LATER_MS);
    },
    async stop() {
      clearTimeout(starting);
      // Releases callers that wait for sources that will not be started any more.
      started.resolve();
      isOpen = false;
      closing.abort();
      await indexing;
      await stopImports();
      await (await engine()).stop();
    },
    keepsDaemonAlive: () => opened?.isBusy() ?? false,
    reconfigured: reload,
    async addDemo() {
      const { demoHistory, DEMO } = await import('./demo.ts');
      const { messages, sources } = await store();
      if ((await sources.list()).some(({ id }) => id === DEMO.id)) return;
      await messages.record({ source: DEMO.id, events: demoHistory(clock.now()), origin: 'import' });
      await sources.add({ ...DEMO, createdAt: clock.now() });
      await reload();
    },
  };
}

function secretsOf(secrets: CapabilityParts<object, object>['secrets']): SourceSecrets {
  return {
    get: async (source, name) => (await secrets()).get(groupOf(source), name),
    set: async (source, name, value) => (await secrets()).set(groupOf(source), name, value),
    delete: async (source, name) => void (await (await secrets()).delete(groupOf(source), name)),
  };
}

/** Each source has its own group of secrets. */
function groupOf(source: string): string {
  return `source/${source}`;
}
