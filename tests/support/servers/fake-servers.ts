import type { SecretGroups } from '../../../src/capability.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { ServerConfig } from '../../../src/domain/server-config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createGateway } from '../../../src/servers/gateway/gateway.ts';
import type { ServersContext } from '../../../src/servers/operations/server-view.ts';
import { createServerOutput } from '../../../src/servers/process/output.ts';
import { serverAdministration } from '../../../src/servers/supervisor/administration.ts';
import { createManagedServer } from '../../../src/servers/supervisor/managed-server.ts';
import { type ServerConnection, StartFailure } from '../../../src/servers/supervisor/server-connection.ts';
import { createServerSecrets } from '../../../src/servers/supervisor/server-secrets.ts';
import { createServers } from '../../../src/servers/supervisor/servers.ts';
import { silentLog } from '../operation-context.ts';
import { openStore } from '../store/open-store.ts';

const limits = {
  callTimeoutMs: 1_000,
  maxResultBytes: 1_000,
  pingIntervalMs: 60_000,
  pingTimeoutMs: 1_000,
  sessionIdleMs: 60_000,
};

const tool = (name: string): JsonObject => ({ name, description: `${name}s.`, inputSchema: { type: 'object' } });

/** Servers with a real store, whose processes are replaced by what `answers` says. One named `Broken` does not start. */
export async function openFakeServers() {
  const store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
  const groups = new Map<string, Map<string, string>>();
  const offered = { tools: [tool('echo'), tool('fail')] };
  const calls: JsonObject[] = [];

  const secrets = {
    get: async (group: string, name: string) => groups.get(group)?.get(name),
    list: async (group: string) => [...(groups.get(group)?.keys() ?? [])].map((name) => ({ name })),
    async set(group: string, name: string, value: string) {
      groups.set(group, new Map([...(groups.get(group) ?? []), [name, value]]));
    },
    delete: async (group: string, name: string) => groups.get(group)?.delete(name) ?? false,
    async deleteGroup(group: string) {
      groups.delete(group);
    },
  } as unknown as SecretGroups;

  async function connect(config: ServerConfig): Promise<ServerConnection> {
    if (config.name === 'Broken') {
      throw new StartFailure({
        code: 'SERVICE_UNAVAILABLE',
        message: 'It ended.',
        output: 'last words',
        isFinal: true,
      });
    }
    const upstream = {
      era: 'sessions',
      protocolVersion: '2025-11-25',
      serverInfo: {},
      capabilities: {},
      instructions: undefined,
      list: async (name: string) => (name === 'tools' ? offered.tools : []),
      async request(_method: string, params: JsonObject) {
        calls.push(params);
        const isError = params.name === 'fail';
        return { content: [{ type: 'text', text: JSON.stringify(params.arguments) }], ...(isError ? { isError } : {}) };
      },
    } as unknown as ServerConnection['upstream'];
    return { upstream, pid: 7, ended: new Promise(() => {}), close: async () => {} };
  }

  const servers = createServers({
    store: store.servers,
    now: systemClock.now,
    onChange: () => gateway.changed(),
    manage: async (row) =>
      createManagedServer(row, {
        connect,
        store: store.servers,
        clock: systemClock,
        log: silentLog,
        output: createServerOutput({ clock: systemClock, mask: (text) => text }),
        limits: () => limits,
        onOffer: () => gateway.changed(),
        onState() {},
        onResourceUpdated() {},
      }),
  });
  const gateway = createGateway({
    servers: servers.loaded,
    toolBudget: () => 100,
    wholeListClients: () => [],
    noteRead: async () => {},
    log: silentLog,
  });
  const unused = new Proxy({}, { get: () => () => Promise.reject(new Error('the test gives none')) });
  const logins = { ...unused, logout: async () => {} } as unknown as ServersContext['logins'];
  const context: ServersContext = {
    servers,
    ...serverAdministration({ servers, secrets: createServerSecrets(async () => secrets), logins }),
    logins,
    registries: unused as ServersContext['registries'],
    callTool: gateway.callByName,
  };
  return {
    context,
    offered,
    calls,
    /** Secrets by the name of their group. */
    groups,
    async close() {
      await servers.stopAll(false);
      gateway.close();
      await store.close();
    },
  };
}
