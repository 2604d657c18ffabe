import type { ServeHttpOptions, ServeOptions } from '../cli/composition.ts';
import type { Program } from '../compose.ts';
import type { ConfigInForce } from '../config/in-force.ts';
import type { Config } from '../config/schema.ts';
import { AppError } from '../domain/errors.ts';
import { localPrincipal } from '../domain/principal.ts';
import type { OpenPort } from '../http/port.ts';
import type { AuthSettings } from '../http/tokens.ts';
import { version } from '../lib/version.ts';
import type { DoorParts } from '../mcp/connection.ts';
import type { SessionLimits } from '../mcp/http-sessions.ts';
import type { Limits } from '../mcp/limits.ts';
import type { Registry } from '../mcp/registry.ts';
import { configuredFacts } from './token-facts.ts';

/** Counting goes no further: what is to be seen is whether there are many. */
const MOST_SESSIONS = 10_000;

/** What every MCP door needs, opened: the configuration, the store, and what is offered. */
export async function openDoors(program: Program, { servesHttp }: { servesHttp: boolean }) {
  const [{ createGates }, { createOffer }, { serveStreams }, config, store] = await Promise.all([
    import('../mcp/limits.ts'),
    import('../mcp/offer.ts'),
    import('../mcp/stdio.ts'),
    program.config(),
    program.store(),
  ]);
  const { clock, log } = program;
  log.setLevel(config.current().logging.level);
  const limits = limitsOf(config);
  const door: DoorParts & SessionLimits = withSettings(config, {
    sessions: store.sessions,
    clock,
    log,
    limits,
    gates: createGates(limits),
    requestObserver: program.telemetry.requestObserver,
  });
  const startTelemetry = () => {
    const { telemetry, server } = config.current();
    return program.telemetry.start({
      ...telemetry,
      // Where no client can ask for them, nothing is counted.
      metrics: telemetry.metrics && servesHttp,
      service: server.name,
      sessionsOpen: async () => (await store.sessions.list({ open: true, limit: MOST_SESSIONS })).length,
    });
  };
  await startTelemetry();
  config.onChange(['telemetry', 'server'], startTelemetry);
  config.onChange(['logging'], (keys) => {
    const { level, format } = config.current().logging;
    if (keys.includes('logging.level')) log.setLevel(level);
    log.setFormat(format);
  });
  const registries = new Map<string, Registry>();

  /** The same capabilities are offered by the same registry. */
  function offer({ only, readOnly }: ServeOptions): Registry {
    const key = `${[...only].sort().join(',')} ${readOnly}`;
    const registry = registries.get(key) ?? createOffer({ ...program, events: store.events }, { only, readOnly });
    registries.set(key, registry);
    return registry;
  }

  return {
    config,
    store,
    door,
    offer,
    serveStreams,
    local: () => localPrincipal(config.current().mcp.local_scopes),
  };
}

/** Read when they are needed: a changed configuration holds for connections that are open. */
function limitsOf({ current }: ConfigInForce): Limits {
  return {
    get maxConcurrent() {
      return current().limits.max_concurrent;
    },
    get maxConcurrentTotal() {
      return current().limits.max_concurrent_total;
    },
    get requestTimeoutMs() {
      return current().limits.request_timeout_ms;
    },
    get maxLineBytes() {
      return current().limits.max_line_bytes;
    },
  };
}

function withSettings<Parts extends object>({ current }: ConfigInForce, parts: Parts) {
  return {
    ...parts,
    get identity() {
      return { name: current().server.name, version: version() };
    },
    get pageSize() {
      return current().mcp.page_size;
    },
    get listTtlMs() {
      return current().mcp.list_ttl_ms;
    },
    get resourceTtlMs() {
      return current().mcp.resource_ttl_ms;
    },
    get sessionIdleMs() {
      return current().mcp.session_idle_ms;
    },
    get maxSessions() {
      return current().mcp.max_sessions;
    },
  };
}

export type Doors = Awaited<ReturnType<typeof openDoors>>;

/** Opens the HTTP door: MCP in both eras and for the oldest clients, REST, health. */
export async function openHttp(
  program: Program,
  { config, door, offer, store }: Doors,
  port: OpenPort,
  options: ServeHttpOptions,
) {
  const [{ createMcpHttp }, { createSse }, { listenHttp }, { createApi }, { createReadiness }, { createAuth }] =
    await Promise.all([
      import('../mcp/http.ts'),
      import('../mcp/sse.ts'),
      import('../http/server.ts'),
      import('../http/api.ts'),
      import('../http/readiness.ts'),
      import('../http/tokens.ts'),
    ]);
  if (options.token !== undefined) program.masker.add(options.token);
  const auth = createAuth(authSettings(config.current(), options), () => store.tokens.list());
  const { only } = options;
  const registry = offer(options);
  const mcp = createMcpHttp(door);
  const sse = createSse(door);
  const api = createApi({
    ...program,
    store,
    version: version(),
    maxBodyBytes: () => config.current().limits.max_line_bytes,
    readOnly: options.readOnly,
  });
  const http = await listenHttp(
    {
      mcp: (request, response, principal, wanted) =>
        mcp.handle(request, response, { principal, ...endpoint(wanted, options, offer) }),
      sse: (response, principal) => sse.listen(response, { principal, registry, only }),
      messages: (request, response, principal) => sse.post(request, response, { principal, registry, only }),
      rest: api.handle,
      ready: createReadiness(store.problems),
      metrics: api.metrics,
    },
    port,
    {
      host: options.host,
      auth,
      allowedHosts: config.current().mcp.allowed_hosts,
      allowedOrigins: config.current().mcp.allowed_origins,
      log: program.log,
    },
  );
  const stopListening = store.events.listen((events) => {
    for (const { type, subject } of events) if (type === 'token.removed') http.cutOff(subject);
  });
  const stopFollowing = config.onChange(['auth', 'mcp'], async () => {
    for (const name of auth.change(authSettings(config.current(), options))) {
      http.cutOff(name);
      await mcp.sessions.renew(name);
    }
  });
  return {
    url: http.url,
    /** Whether the client of this session is served here. */
    holds: mcp.sessions.holds,
    close: () =>
      http.close(async () => {
        stopListening();
        stopFollowing();
        await Promise.all([mcp.close(), sse.close(), api.close()]);
      }),
  };
}

function authSettings({ auth, mcp }: Config, options: ServeHttpOptions): AuthSettings {
  const owner = options.token ?? auth.token;
  return {
    ...(owner === undefined ? {} : { owner }),
    tokens: auth.tokens.map((token) => ({
      name: token.name,
      hash: token.token_hash,
      scopes: token.scopes,
      ...configuredFacts(token),
    })),
    localScopes: mcp.local_scopes,
  };
}

/** `/mcp` offers what the process was started with; `/mcp/<capabilities>` a part of that. */
function endpoint(
  wanted: readonly string[],
  { only: served, readOnly }: ServeOptions,
  offer: (options: ServeOptions) => Registry,
): { registry: Registry; only: readonly string[] } {
  if (wanted.length === 0) return { registry: offer({ only: served, readOnly }), only: served };
  const outside = wanted.find((name) => served.length > 0 && !served.includes(name));
  if (outside !== undefined) throw new AppError('NOT_FOUND', 'This capability is not served here.');
  try {
    return { registry: offer({ only: wanted, readOnly }), only: wanted };
  } catch (thrown) {
    throw new AppError('NOT_FOUND', thrown instanceof AppError ? thrown.message : 'There is no such endpoint.');
  }
}
