import { agentmail } from './agentmail/capability.ts';
import { personAt } from './agentmail/person.ts';
import { type AnyCapability, type Capability, declaredBy, factsFrom, openCapabilities } from './capability.ts';
import { chat } from './chat/capability.ts';
import { claude } from './claude/capability.ts';
import type { CatalogEntry, CliComposition, ComposeOptions } from './cli/composition.ts';
import { configuredTokens } from './config/configured-tokens.ts';
import { ensureHome, homeOf } from './config/home.ts';
import type { ConfigInForce } from './config/in-force.ts';
import type { ConfigModel } from './config/model.ts';
import { AppError } from './domain/errors.ts';
import type { JsonObject } from './domain/json.ts';
import type { Origin } from './domain/origin.ts';
import { localPrincipal } from './domain/principal.ts';
import { createRunningState } from './domain/running-state.ts';
import { email } from './email/capability.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';
import { once, opensLate } from './lib/once.ts';
import { version } from './lib/version.ts';
import { workerUrl } from './lib/worker.ts';
import { createAgentTools } from './mcp/agent-tools.ts';
import { nameOf, type Operation, type OperationContext } from './operation.ts';
import { outbox } from './outbox/capability.ts';
import { createPipeline } from './pipeline.ts';
import { createMasker } from './secrets/masker.ts';
import { servers } from './servers/capability.ts';
import { systemCapability } from './system/capability.ts';
import type { AuditLog } from './system/ports.ts';
import type { SecretsPort } from './system/secrets-port.ts';
import { createTelemetry } from './telemetry/telemetry.ts';

/** Every capability, without opening anything: for help and for the build. */
export function composedCapabilities(): readonly Capability[] {
  return compose({ flags: {} }).capabilities;
}

/** Everything that can be configured: for the page about it. */
export function composedConfigModel(): Promise<ConfigModel> {
  return compose({ flags: {} }).configModel();
}

export function operationsCatalog(): readonly CatalogEntry[] {
  return composedCapabilities().flatMap((capability) =>
    capability.operations.filter(({ cli }) => cli).map((operation) => ({ capability, operation })),
  );
}

/** `more` is for programs built on this one, such as a benchmark. */
export async function composeCli(options: ComposeOptions, more: readonly Capability[] = []): Promise<CliComposition> {
  const program = compose(options, more);
  return {
    call: async (operation, input, progress, signal) => {
      const { callHere, callInDaemon } = await import('./daemon/command-calls.ts');
      const call = operation.cli?.local ? callHere : callInDaemon;
      return call(program, operation, input, progress, signal);
    },
    follow: async (operation, input, emit, signal) => {
      if (operation.cli?.local) return program.followByName(nameOf(operation), input, { emit, signal });
      const { followInDaemon } = await import('./daemon/command-calls.ts');
      return followInDaemon(program, operation, input, emit, signal);
    },
    serveStdio: async (serve) => (await import('./compose/processes.ts')).serveStdio(program, serve),
    serveHttp: async (serve) => (await import('./compose/processes.ts')).serveHttp(program, serve),
    runDaemon: async () => (await import('./compose/processes.ts')).runDaemon(program),
    close: program.close,
  };
}

/** A user who runs a command could also edit the configuration, and so has all rights that it can grant. */
const commander = localPrincipal(['servers:manage']);
const commandCall = <How extends { origin?: Origin }>(how: How) =>
  ({ principal: commander, door: 'cli', isPerson: personAt(how.origin), ...how }) as const;

/** The timeout of a call until the configuration is loaded. */
const DEADLINE_MS = 60_000;

export type Program = ReturnType<typeof compose>;

/** All parts, each opened when something first needs it: `config path` must not open a database. */
function compose({ flags, home = homeOf(process.env) }: ComposeOptions, more: readonly Capability[] = []) {
  const { env } = process;
  const clock = systemClock;
  const startedAt = clock.now();
  const running = createRunningState(clock);
  const masker = createMasker();
  const log = createLog({ mask: masker.mask });
  let inForce: ConfigInForce | undefined;

  const secrets = once(async () => {
    const { openSecrets } = await import('./secrets/store.ts');
    return openSecrets({ home, env, log, clock, masker });
  });

  /** As the files have it now, which may differ from what is in force. */
  async function readSettings() {
    const { loadSettings } = await import('./config/load-settings.ts');
    const secret = async (name: string) => (await secrets()).get('shared', name);
    return loadSettings({ load: { model: await model(), home, env, flags }, maskSecret: masker.add, secret });
  }

  const config = once(async () => {
    const [{ createConfigInForce }, { config: first, origins, warnings }] = await Promise.all([
      import('./config/in-force.ts'),
      readSettings(),
    ]);
    // A command prints its answer and errors; the log has more only if that is configured.
    if (origins.has('logging.level')) log.setLevel(first.logging.level);
    log.setFormat(first.logging.format);
    for (const warning of warnings) log.warn({}, warning);
    inForce = createConfigInForce(await model(), first);
    await followSettings(inForce);
    return inForce;
  });
  const settings = async () => (await config()).current();

  async function followSettings({ onChange }: ConfigInForce): Promise<void> {
    for (const definition of definitions) {
      const declared = await definition.config?.();
      const { reconfigured } = capabilities.find(({ name }) => name === definition.name) ?? {};
      if (declared && reconfigured) onChange(Object.keys(declared.config.sections), reconfigured);
    }
  }

  let storeIsOpen = false;
  const store = once(async () => {
    const config = await settings();
    ensureHome(home);
    const { openStore } = await import('./storage/store.ts');
    const opened = await openStore({ url: config.store.url, home, migrations: await migrations(), clock, log });
    storeIsOpen = true;
    return opened;
  });

  const telemetry = createTelemetry({ version: version(), startedAt, log });

  const pipeline = createPipeline({
    clock,
    log,
    mask: masker,
    deadlineMs: () => inForce?.current().limits.request_timeout_ms ?? DEADLINE_MS,
    span: (operation, { door, request }, run) =>
      telemetry.observe({ operation, door, ...(request ? { request } : {}) }, run),
    async audit(entry) {
      // Reading the configuration creates no database, and neither does a command that needs none.
      if (storeIsOpen || (entry.effect !== 'reads' && !isLocal(entry.operation)))
        await (await store()).audit.append(entry);
    },
  });

  function byName(name: string): { capability: Capability; operation: Operation } {
    for (const capability of capabilities) {
      const operation = capability.operations.find((one) => nameOf(one) === name);
      if (operation) return { capability, operation };
    }
    throw new AppError('NOT_FOUND', 'This version has no such operation.');
  }

  /** What a token of the configuration carries besides its scopes. */
  const factsOf = (token: object) => factsFrom(declaredBy(capabilities).grants, token);

  /** Whether a command may run this operation itself. */
  function isLocal(name: string): boolean {
    const operation = capabilities.flatMap(({ operations }) => operations).find((one) => nameOf(one) === name);
    return operation?.cli?.local === true || operation?.cli?.alone === true;
  }

  const around = async () => (await import('./config/surroundings.ts')).surroundings({ home, env, clock });
  const definitions: readonly AnyCapability[] = [
    systemCapability({
      status: opensLate(async () => {
        const { createStatusPort } = await import('./system/status-port.ts');
        const describeSecrets = async () => (await secrets()).describe();
        const facts = { version: version(), startedAt, clock, running, store, secrets: describeSecrets };
        return createStatusPort({ ...facts, capabilities: () => capabilities });
      }),
      config: opensLate(async () => {
        const { configPort } = await import('./config/port.ts');
        return configPort({
          model: await model(),
          home,
          env,
          flags,
          secret: async (name) => (await secrets()).get('shared', name),
        });
      }),
      daemon: opensLate(async () => (await import('./daemon/daemon-port.ts')).daemonPort(home)),
      secrets: opensLate<SecretsPort>(secrets),
      sessions: opensLate(async () => (await store()).sessions),
      store: opensLate(async () => (await store()).admin),
      events: opensLate(async () => ({ prune: (await store()).events.prune })),
      audit: opensLate<AuditLog>(async () => (await store()).audit),
      tokens: opensLate(async () => (await store()).tokens),
      configuredTokens: async () => configuredTokens(await settings(), factsOf),
      assistants: opensLate(async () => {
        const { assistantsPort } = await import('./assistants/port.ts');
        return assistantsPort(await around());
      }),
      declared: () => declaredBy(capabilities),
      served: () => capabilities.filter(({ combinedOnly }) => !combinedOnly).map(({ name }) => name),
      service: opensLate(async () => {
        const { servicePort } = await import('./service/port.ts');
        return servicePort(await around());
      }),
      restore: opensLate(async () => {
        const [{ createRestore }, { restoreStore }, plan] = await Promise.all([
          import('./daemon/restore-home.ts'),
          import('./storage/restore.ts'),
          migrations(),
        ]);
        ensureHome(home);
        return createRestore({ home, clock, restoreStore: (files) => restoreStore({ ...files, migrations: plan }) });
      }),
      doctor: opensLate(async () =>
        (await import('./compose/examination.ts')).examinationOf({
          definitions,
          model: await model(),
          home,
          env,
          flags,
          secrets,
          migrations,
        }),
      ),
      home,
      clock,
    }),
    chat({
      kinds: async () => (await import('./connectors/registry.ts')).CONNECTORS,
      importWorker: workerUrl('./compose/import-worker', import.meta.url),
    }),
    email({
      mail: async () => (await import('./connectors/imap/index.ts')).imap,
      oauth: async () => (await import('./connectors/imap/index.ts')).mailOAuth,
      discovery: async () => (await import('./connectors/imap/index.ts')).mailDiscovery,
      syncWorker: workerUrl('./compose/mail-sync-worker', import.meta.url),
    }),
    agentmail,
    servers,
    claude({ tools: createAgentTools({ capabilities: () => capabilities, pipeline, log }) }),
    outbox,
  ];
  const model = once(async () => {
    const [{ configModel }, ...declared] = await Promise.all([
      import('./config/model.ts'),
      ...definitions.map((definition) => definition.config?.()),
    ]);
    const declarations = declared.flatMap((own) => (own ? [own.config] : []));
    return configModel(declarations, declaredBy(capabilities));
  });
  const stores = Object.fromEntries(definitions.flatMap(({ name, store: kept }) => (kept ? [[name, kept]] : [])));
  const migrations = once(async () => (await import('./storage/sqlite/migrations/index.ts')).migrationPlan(stores));
  const opened = openCapabilities(definitions, ({ store: kept }) => ({
    home,
    clock,
    log,
    settings,
    store: async () => (kept ? (await store()).of(kept) : {}),
    events: async () => (await store()).events,
    secrets,
    mask: masker.mask,
    storeAddress: async () => ({ home, url: (await settings()).store.url, migrations: await migrations() }),
  }));
  const capabilities = [...opened, ...more];

  return {
    home,
    /** Keys of the configuration that the command line sets. */
    setKeys: Object.keys(flags),
    clock,
    running,
    log,
    masker,
    /** The configuration in force; if this process owns the home, it changes with the file. */
    config,
    configModel: model,
    factsOf,
    settings,
    readSettings: async () => (await readSettings()).config,
    store,
    secrets,
    pipeline,
    telemetry,
    capabilities,
    /** Fills the store with example data. */
    addDemo: async () => {
      for (const capability of capabilities) await capability.addDemo?.();
    },
    /** Runs an operation for the local user, who ran its command. */
    async callByName(
      name: string,
      input: unknown,
      how: { signal: AbortSignal; progress: OperationContext['progress']; origin?: Origin },
    ): Promise<JsonObject> {
      const { capability, operation } = byName(name);
      return pipeline.call(capability, operation, input, commandCall(how));
    },
    /** The same for the stream of an operation. */
    async followByName(
      name: string,
      input: unknown,
      how: { signal: AbortSignal; emit: (output: JsonObject) => Promise<void>; origin?: Origin },
    ): Promise<void> {
      const { emit, ...rest } = how;
      const { capability, operation } = byName(name);
      return pipeline.follow(capability, operation, input, commandCall(rest), emit);
    },
    async close(): Promise<void> {
      await pipeline.drain();
      await telemetry.close();
      if (storeIsOpen) {
        storeIsOpen = false;
        await (await store()).close();
      }
      await log.flush();
    },
  };
}
