import type { Program } from '../compose.ts';
import { localPrincipal } from '../domain/principal.ts';

/** Counting stops here: what matters is whether there are many. */
const MOST_SESSIONS = 10_000;

/** What a process that owns the home serves: the store, MCP and telemetry, with the configuration in force. */
export async function openDoors(program: Program, { servesHttp }: { servesHttp: boolean }) {
  const { log, telemetry } = program;
  const [{ createMcpDoor }, { serveAttachedClient, serveOwnClient }, config, store] = await Promise.all([
    import('../mcp/door.ts'),
    import('../mcp/attached-client.ts'),
    program.config(),
    program.store(),
  ]);
  const startTelemetry = () => {
    const { telemetry: settings, server } = config.current();
    return telemetry.start({
      ...settings,
      // Without HTTP there is no way to read metrics.
      metrics: settings.metrics && servesHttp,
      service: server.name,
      sessionsOpen: async () => (await store.sessions.list({ open: true, limit: MOST_SESSIONS })).length,
    });
  };
  log.setLevel(config.current().logging.level);
  await startTelemetry();
  config.onChange(['telemetry', 'server'], startTelemetry);
  config.onChange(['logging'], (keys) => {
    const { level, format } = config.current().logging;
    if (keys.includes('logging.level')) log.setLevel(level);
    log.setFormat(format);
  });
  return {
    config,
    store,
    mcp: createMcpDoor({
      ...program,
      events: store.events,
      sessions: store.sessions,
      settings: config.current,
      requestObserver: telemetry.requestObserver,
    }),
    serveAttachedClient,
    serveOwnClient,
    local: () => localPrincipal(config.current().mcp.local_scopes),
  };
}

export type Doors = Awaited<ReturnType<typeof openDoors>>;
