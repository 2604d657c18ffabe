import type {
  CatalogEntry,
  CliComposition,
  ComposeOptions,
  ServeHttpOptions,
  ServeOptions,
} from './cli/composition.ts';
import { ensureHome, homeOf } from './config/home.ts';
import type { Config } from './config/schema.ts';
import { AppError } from './domain/errors.ts';
import { localPrincipal } from './domain/principal.ts';
import { systemClock } from './lib/clock.ts';
import { createLog, logLevelOf } from './lib/log.ts';
import { once, opensLate } from './lib/once.ts';
import { stopSignal } from './lib/stop-signal.ts';
import { version } from './lib/version.ts';
import type { DoorParts } from './mcp/connection.ts';
import type { Registry } from './mcp/registry.ts';
import type { Capability, Operation } from './operation.ts';
import { createPipeline } from './pipeline.ts';
import { createMasker } from './secrets/masker.ts';
import { systemCapability } from './system/capability.ts';
import type { StatusView } from './system/ports.ts';
import type { SecretsPort } from './system/secrets-port.ts';

/** Every capability, with nothing opened behind it: for help and for the build. */
export function composedCapabilities(): readonly Capability[] {
  return compose({ flags: {} }).capabilities;
}

export function operationsCatalog(): readonly CatalogEntry[] {
  return composedCapabilities().flatMap((capability) =>
    capability.operations.filter(({ cli }) => cli).map((operation) => ({ capability, operation })),
  );
}

/** `more` is for whoever builds a program of their own on this one, such as a benchmark. */
export async function composeCli(options: ComposeOptions, more: readonly Capability[] = []): Promise<CliComposition> {
  const program = compose(options, more);
  return {
    call: (operation, input, progress, signal) =>
      program.pipeline.call(program.capabilityOf(operation), operation, input, {
        principal: localPrincipal(),
        door: 'cli',
        progress,
        signal,
      }),
    serveStdio: (serve) => serveStdio(program, serve),
    serveHttp: (serve) => serveHttp(program, serve),
    close: program.close,
  };
}

/** The limit of a call until the configuration says another. */
const DEADLINE_MS = 60_000;

type Program = ReturnType<typeof compose>;

/** All parts, each opened when something first needs it: `config path` must not open a database. */
function compose({ flags, home = homeOf(process.env) }: ComposeOptions, more: readonly Capability[] = []) {
  const { env } = process;
  const clock = systemClock;
  const startedAt = clock.now();
  const masker = createMasker();
  const log = createLog({ mask: masker.mask });
  let deadlineMs = DEADLINE_MS;

  const secrets = once(async () => {
    const { openSecrets } = await import('./secrets/store.ts');
    return openSecrets({ home, env, log, clock, masker });
  });

  const settings = once(async () => {
    const [{ loadConfig }, { resolveReferences }, { secretValues }] = await Promise.all([
      import('./config/load.ts'),
      import('./config/references.ts'),
      import('./config/show.ts'),
    ]);
    const loaded = await loadConfig({ home, env, flags });
    for (const value of secretValues(loaded.config)) masker.add(value);
    const config = await resolveReferences(loaded, async (name) => (await secrets()).get('shared', name));
    // Somebody who runs one command wants its answer; only who asks for more gets more.
    if (loaded.origins.has('logging.level')) log.setLevel(config.logging.level);
    log.setFormat(config.logging.format);
    for (const warning of loaded.warnings) log.warn({}, warning);
    deadlineMs = config.limits.request_timeout_ms;
    return config;
  });

  let storeIsOpen = false;
  const store = once(async () => {
    const config = await settings();
    ensureHome(home);
    const { openStore } = await import('./storage/store.ts');
    const opened = await openStore({ url: config.store.url, home, clock, log });
    storeIsOpen = true;
    return opened;
  });

  const pipeline = createPipeline({
    clock,
    log,
    mask: masker,
    deadlineMs: () => deadlineMs,
    async audit(entry) {
      // Reading the configuration is no reason to make a database.
      if (storeIsOpen || entry.effect !== 'reads') await (await store()).audit.append(entry);
    },
  });

  async function status(): Promise<StatusView> {
    const { admin, sessions } = await store();
    const [report, open] = await Promise.all([admin.report(), sessions.list({ open: true, limit: 1_000 })]);
    return {
      version: version(),
      uptime_ms: clock.now() - startedAt,
      capabilities: capabilities.map(({ name }) => name),
      sources: [],
      servers: [],
      sessions: open.length,
      store: report,
      secrets: await (await secrets()).describe(),
    };
  }

  const capabilities: readonly Capability[] = [
    systemCapability({
      status: { status },
      config: opensLate(async () => {
        const { configPort } = await import('./config/port.ts');
        return configPort({ home, env, flags });
      }),
      secrets: opensLate<SecretsPort>(secrets),
      sessions: opensLate(async () => (await store()).sessions),
      store: opensLate(async () => (await store()).admin),
      home,
      clock,
    }),
    ...more,
  ];

  return {
    clock,
    log,
    masker,
    settings,
    store,
    secrets,
    pipeline,
    capabilities,
    capabilityOf(operation: Operation): Capability {
      const found = capabilities.find(({ operations }) => operations.includes(operation));
      if (!found) throw new Error('an operation of no capability');
      return found;
    },
    async close(): Promise<void> {
      if (storeIsOpen) await (await store()).close();
      await log.flush();
    },
  };
}

async function serveStdio(program: Program, { only, readOnly }: ServeOptions): Promise<number> {
  const { guardStdout } = await import('./lib/stdout-guard.ts');
  guardStdout();
  const stop = stopSignal({ withParent: true });
  const [{ serveStreams }, offer, { door, config }] = await Promise.all([
    import('./mcp/stdio.ts'),
    offers(program, readOnly),
    openDoor(program),
  ]);
  // The one client of this process may say how much the process logs.
  const setLogLevel = (level: string) => program.log.setLevel(logLevelOf(level) ?? 'info');
  await serveStreams(
    { ...door, setLogLevel },
    {
      registry: offer(only),
      principal: localPrincipal(config.mcp.local_scopes),
      only,
      input: process.stdin,
      output: process.stdout,
      stop,
    },
  );
  return 0;
}

async function serveHttp(program: Program, options: ServeHttpOptions): Promise<number> {
  const stop = stopSignal({ withParent: false });
  const [{ createMcpHttp }, { createSse }, { listenHttp }, { createRest }, { createAuth }, offer, { door, config }] =
    await Promise.all([
      import('./mcp/http.ts'),
      import('./mcp/sse.ts'),
      import('./http/server.ts'),
      import('./http/rest.ts'),
      import('./http/tokens.ts'),
      offers(program, options.readOnly),
      openDoor(program),
    ]);
  const owner = options.token ?? config.auth.token;
  if (options.token !== undefined) program.masker.add(options.token);
  const auth = createAuth({
    ...(owner === undefined ? {} : { owner }),
    tokens: config.auth.tokens.map(({ name, token_hash: hash, scopes, agent }) => ({
      name,
      hash,
      scopes,
      ...(agent === undefined ? {} : { agent }),
    })),
    localScopes: config.mcp.local_scopes,
  });
  const registry = offer(options.only);
  const mcp = createMcpHttp({
    ...door,
    sessionIdleMs: config.mcp.session_idle_ms,
    maxSessions: config.mcp.max_sessions,
  });
  const sse = createSse(door);
  const http = await listenHttp(
    {
      mcp: (request, response, principal, only) =>
        mcp.handle(request, response, { principal, ...endpoint(only, options.only, registry, offer) }),
      sse: (response, principal) => sse.listen(response, { principal, registry, only: options.only }),
      messages: (request, response, principal) =>
        sse.post(request, response, { principal, registry, only: options.only }),
      rest: createRest(program.capabilities, program.pipeline, config.limits.max_line_bytes),
    },
    {
      port: options.port,
      host: options.host,
      auth,
      allowedHosts: config.mcp.allowed_hosts,
      allowedOrigins: config.mcp.allowed_origins,
      connectTimeoutMs: config.limits.connect_timeout_ms,
      log: program.log,
    },
  );
  program.log.info({ url: `${http.url}/mcp` }, `Switchboard is listening: MCP is at ${http.url}/mcp`);
  await new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
  program.log.info({}, 'shutting down: requests in flight are answered first');
  await http.close(async () => {
    await Promise.all([mcp.close(), sse.close()]);
  });
  return 0;
}

/** `/mcp` offers what the process was started with; `/mcp/<capabilities>` a part of that. */
function endpoint(
  wanted: readonly string[],
  served: readonly string[],
  registry: Registry,
  offer: (only: readonly string[]) => Registry,
): { registry: Registry; only: readonly string[] } {
  if (wanted.length === 0) return { registry, only: served };
  const outside = wanted.find((name) => served.length > 0 && !served.includes(name));
  if (outside !== undefined) throw new AppError('NOT_FOUND', 'This capability is not served here.');
  try {
    return { registry: offer(wanted), only: wanted };
  } catch (thrown) {
    throw new AppError('NOT_FOUND', thrown instanceof AppError ? thrown.message : 'There is no such endpoint.');
  }
}

/** What endpoints offer; the same capabilities are offered by the same registry. */
async function offers(program: Program, readOnly: boolean): Promise<(only: readonly string[]) => Registry> {
  const [{ createOffer }, { events }] = await Promise.all([import('./mcp/offer.ts'), program.store()]);
  const made = new Map<string, Registry>();
  return (only) => {
    const key = [...only].sort().join(',');
    const registry = made.get(key) ?? createOffer({ ...program, events }, { only, readOnly });
    made.set(key, registry);
    return registry;
  };
}

async function openDoor(program: Program): Promise<{ door: DoorParts; config: Config }> {
  const [{ createGates }, config, { sessions }] = await Promise.all([
    import('./mcp/limits.ts'),
    program.settings(),
    program.store(),
  ]);
  const limits = {
    maxConcurrent: config.limits.max_concurrent,
    maxConcurrentTotal: config.limits.max_concurrent_total,
    requestTimeoutMs: config.limits.request_timeout_ms,
    maxLineBytes: config.limits.max_line_bytes,
  };
  const { clock, log } = program;
  log.setLevel(config.logging.level);
  return {
    config,
    door: {
      identity: { name: config.server.name, version: version() },
      pageSize: config.mcp.page_size,
      listTtlMs: config.mcp.list_ttl_ms,
      resourceTtlMs: config.mcp.resource_ttl_ms,
      sessions,
      clock,
      log,
      limits,
      gates: createGates(limits),
    },
  };
}
