import { openPort } from '../../src/http/port.ts';
import { listenHttp } from '../../src/http/server.ts';
import { createAuth } from '../../src/http/tokens.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ClientAccess, DoorParts } from '../../src/mcp/connection.ts';
import { createMcpHttp } from '../../src/mcp/http.ts';
import { createGates, type Limits } from '../../src/mcp/limits.ts';
import type { Registry } from '../../src/mcp/registry.ts';
import { createSse } from '../../src/mcp/sse.ts';
import { createSubscribed } from '../../src/mcp/subscriptions.ts';
import { HTTP_LIMITS, OWN_USER } from '../support/http/door.ts';
import { silentLog } from '../support/operation-context.ts';
import type { Store } from '../support/store/open-store.ts';
import { openStore } from '../support/store/open-store.ts';
import { stateCodec } from './fixture-input-required.ts';

export const OWNER_TOKEN = 'the-owner-of-the-fixture';

const LIMITS: Limits = {
  maxConcurrent: 100,
  maxConcurrentTotal: 1_000,
  maxConcurrentPerToken: 200,
  requestTimeoutMs: 60_000,
  maxLineBytes: 4 * 1024 * 1024,
};

/** What every transport of a test needs: sessions in memory, and limits that the test can lower. */
export async function openDoorParts(lowered: Partial<Limits> = {}, kept?: Store) {
  const store = kept ?? (await openMemoryStore());
  const limits = { ...LIMITS, ...lowered };
  const parts: DoorParts = {
    identity: { name: 'fixture', version: '1.0.0' },
    pageSize: 100,
    listTtlMs: 60_000,
    resourceTtlMs: 0,
    requestState: { verify: stateCodec.verify },
    sessions: store.sessions,
    clock: systemClock,
    log: silentLog,
    limits,
    gates: createGates(limits),
    subscribed: createSubscribed(),
  };
  return { parts, store, close: () => store.close() };
}

export function openMemoryStore(): Promise<Store> {
  return openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
}

interface Lowered extends Partial<Limits> {
  connectTimeoutMs?: number;
}

/** The complete HTTP pipeline of the product in front of `registry`. A store that was passed in is not closed. */
export async function serveFixture(
  registry: Registry,
  { connectTimeoutMs = 30_000, ...lowered }: Lowered = {},
  kept?: Store,
) {
  const { parts, store } = await openDoorParts(lowered, kept);
  const mcp = createMcpHttp({ ...parts, sessionIdleMs: 60_000, maxSessions: 100, maxSessionsPerToken: 50 });
  const sse = createSse(parts);
  const access = (principal: ClientAccess['principal'], only: readonly string[]): ClientAccess => ({
    registry,
    principal,
    only,
  });
  const host = '127.0.0.1';
  const port = await openPort({ host, port: 0, connectTimeoutMs, log: silentLog });
  const door = await listenHttp(
    {
      mcp: (request, response, principal, only) => mcp.handle(request, response, access(principal, only)),
      sse: (response, principal) => sse.listen(response, access(principal, [])),
      messages: (request, response, principal) => sse.post(request, response, access(principal, [])),
      rest: async (_, response) => void response.writeHead(404).end(),
      ready: async () => [],
      metrics: () => undefined,
    },
    port,
    {
      host,
      allowedHosts: [],
      allowedOrigins: [],
      auth: createAuth({ owner: OWNER_TOKEN, tokens: [], localScopes: [] }),
      peers: OWN_USER,
      limits: () => HTTP_LIMITS,
      log: silentLog,
    },
  );
  return {
    url: door.url,
    async close(): Promise<void> {
      await door.close(async () => {
        await Promise.all([mcp.close(), sse.close()]);
      });
      if (!kept) await store.close();
    },
  };
}
