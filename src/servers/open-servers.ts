import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CapabilityParts, OpenCapability } from '../capability.ts';
import { isConfined } from '../domain/grants.ts';
import { allows } from '../domain/principal.ts';
import { once, opensLate } from '../lib/once.ts';
import { createGateway } from './gateway/gateway.ts';
import { serverIntroduction } from './gateway/instructions.ts';
import { createUpdateEvents } from './gateway/update-events.ts';
import { serverOffer } from './offer.ts';
import type { ServersContext } from './operations/server-view.ts';
import type { ServerStore, ServerStores } from './ports.ts';
import type { Registries } from './registries/search.ts';
import type { ServersSettings } from './settings.ts';
import { serverAdministration } from './supervisor/administration.ts';
import type { ServerLogins } from './supervisor/machinery.ts';
import type { ManagedServerParts } from './supervisor/managed-server.ts';
import { createServerSecrets } from './supervisor/server-secrets.ts';
import { createServers } from './supervisor/servers.ts';
import { stateEvents } from './supervisor/state-events.ts';

/** Servers at run time: nothing is started before `start`, or the first call that needs a server. */
export function openServers(parts: CapabilityParts<ServerStores, ServersSettings>): OpenCapability {
  const { clock, secrets, settings } = parts;
  const log = parts.log.child({ component: 'servers' });
  const outbox = parts.service('outbox');
  const store = opensLate<ServerStore>(async () => (await parts.store()).servers);
  const stopping = new AbortController();
  let inForce: ServersSettings['servers'] | undefined;
  const machinery = once(async () => {
    const [{ createMachinery }, current] = await Promise.all([import('./supervisor/machinery.ts'), settings()]);
    inForce = current.servers;
    return createMachinery({ ...parts, log, settings: section });
  });

  /** As it is in force, once the first server is known. */
  function section(): ServersSettings['servers'] {
    if (!inForce) throw new Error('the settings of servers are not read yet');
    return inForce;
  }

  const updates = createUpdateEvents(async (server, uri) =>
    (await parts.store()).servers.note(server, [{ type: 'server.resource_updated', data: { uri } }]),
  );

  const servers = createServers({
    store,
    now: clock.now,
    onChange: () => offered.changed(),
    async manage(row) {
      const { connect, outputOf, createManagedServer } = await machinery();
      const managed: ManagedServerParts = {
        connect,
        store,
        clock,
        log,
        output: outputOf(row.config),
        limits: () => limitsOf(section()),
        onOffer: () => offered.changed(),
        onState: (happened) =>
          void store.note(row.config.id, stateEvents(happened)).catch((err: unknown) => {
            log.warn({ err, server: row.config.id }, 'the state of a server could not be written to the event log');
          }),
        onResourceUpdated: (uri) => updates.add(row.config.id, uri),
      };
      return createManagedServer(row, managed);
    },
  });
  const offered = createGateway({
    servers: servers.loaded,
    toolBudget: () => inForce?.tool_budget ?? DEFAULT_BUDGET,
    wholeListClients: () => inForce?.whole_list_clients ?? [],
    noteRead: (caller, server) => outbox.noteRead(caller, [{ source: 'servers', chat: server, name: server }]),
    log,
  });

  let registries: { settings: object; opened: Registries } | undefined;
  /** The same ones until they are configured otherwise: they remember what not to ask yet. */
  async function openedRegistries(): Promise<Registries> {
    const { registries: section } = (await settings()).servers;
    if (registries?.settings === section) return registries.opened;
    const { openRegistries } = await import('./registries/open-registries.ts');
    const opened = openRegistries({ home: parts.home, clock, settings: section });
    registries = { settings: section, opened };
    return opened;
  }

  const logins = opensLate<ServerLogins>(async () => (await machinery()).logins);
  const context: ServersContext = {
    servers,
    ...serverAdministration({ servers, secrets: createServerSecrets(secrets), logins }),
    logins,
    registries: opensLate<Registries>(openedRegistries),
    callTool: offered.callByName,
  };

  return {
    ...serverOffer,
    parts: context,
    // The status is for confined principals, too.
    partsFor: (principal) =>
      isConfined(principal) ? { ...context, servers: { ...servers, list: async () => [] } } : context,
    gateway: offered.gateway,
    guide: {
      introduction: ({ principal }) =>
        allows(principal, 'servers:send') && !isConfined(principal) ? serverIntroduction(offered.index()) : undefined,
    },
    updates: updates.resourcesOf,
    events: [
      {
        prefix: 'server.',
        description: 'Changes of other MCP servers: configuration, state, tools and resources.',
        right: 'read',
      },
    ],
    async start() {
      if ((await servers.list()).length === 0) return;
      const { sweep } = await machinery();
      void sweep()
        .then(() => servers.startAll(stopping.signal))
        .catch((err: unknown) => log.error({ err }, 'the servers could not be started'));
      // Their processes start while the rest of this one does.
      await nextTurn();
    },
    async stop() {
      stopping.abort();
      offered.close();
      await servers.stopAll(false);
      if (inForce) await (await machinery()).close();
    },
    async reconfigured() {
      inForce = (await settings()).servers;
      offered.changed();
    },
  };
}

const DEFAULT_BUDGET = 100;

function limitsOf(settings: ServersSettings['servers']) {
  return {
    callTimeoutMs: settings.call_timeout_ms,
    maxResultBytes: settings.max_result_bytes,
    pingIntervalMs: settings.ping_interval_ms,
    pingTimeoutMs: settings.ping_timeout_ms,
    sessionIdleMs: settings.session_idle_ms,
  };
}
