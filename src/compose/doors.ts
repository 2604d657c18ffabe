import type { Program } from '../compose.ts';
import { localPrincipal } from '../domain/principal.ts';

/** Counting goes no further: what matters is whether there are many. */
const MOST_SESSIONS = 10_000;

/** What a process that owns the home serves: the store, MCP and telemetry, with the configuration in force. */
export async function openDoors(program: Program, { servesHttp }: { servesHttp: boolean }) {
  const { log, telemetry, capabilities } = program;
  const [{ createMcpDoor }, { serveAttachedClient, serveOwnClient }, config, store] = await Promise.all([
    import('../mcp/door.ts'),
    import('../mcp/attached-client.ts'),
    program.settings(),
    program.store(),
  ]);
  log.setLevel(config.logging.level);
  const startTelemetry = () =>
    telemetry.start({
      ...config.telemetry,
      // Without HTTP there is no way to read metrics.
      metrics: config.telemetry.metrics && servesHttp,
      service: config.server.name,
      sessionsOpen: async () => (await store.sessions.list({ open: true, limit: MOST_SESSIONS })).length,
    });
  await startTelemetry();
  const reconfigured = new Set<() => Promise<void>>();

  return {
    config,
    store,
    mcp: createMcpDoor({
      ...program,
      events: store.events,
      sessions: store.sessions,
      settings: () => config,
      requestObserver: telemetry.requestObserver,
    }),
    serveAttachedClient,
    serveOwnClient,
    local: () => localPrincipal(config.mcp.local_scopes),
    /** Called when the configuration has changed. */
    onReconfigured: (listener: () => Promise<void>) => void reconfigured.add(listener),
    /** The configuration has changed in these keys. What a client was given at its beginning stays with it. */
    async apply(changed: readonly string[]): Promise<void> {
      const isAbout = (...sections: string[]) => changed.some((key) => sections.some((one) => key.startsWith(one)));
      if (isAbout('logging.level')) log.setLevel(config.logging.level);
      log.setFormat(config.logging.format);
      if (isAbout('telemetry.', 'server.')) await startTelemetry();
      for (const notify of reconfigured) await notify();
      for (const capability of capabilities) await capability.reconfigured?.();
    },
  };
}

export type Doors = Awaited<ReturnType<typeof openDoors>>;
