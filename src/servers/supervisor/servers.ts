import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { ServerConfig, ServerId } from '../../domain/server-config.ts';
import { once } from '../../lib/once.ts';
import type { ServerRow, ServerStore } from '../ports.ts';
import type { ManagedServer } from './managed-server.ts';
import { startInTurn } from './start-in-turn.ts';

export interface ServersParts {
  store: ServerStore;
  manage(row: ServerRow): Promise<ManagedServer>;
  now(): number;
  /** A server was added or removed. */
  onChange(): void;
}

/** All configured servers, in the order in which they were added. They are read from the store at the first use. */
export function createServers({ store, manage, now, onChange }: ServersParts) {
  const servers = new Map<ServerId, ManagedServer>();
  const reserved = new Set<ServerId>();
  let isOpen = false;
  const open = once(async () => {
    for (const row of await store.list()) servers.set(row.config.id, await manage(row));
    isOpen = true;
    onChange();
  });

  async function list(): Promise<readonly ManagedServer[]> {
    await open();
    return [...servers.values()];
  }

  async function find(ref: string): Promise<ManagedServer> {
    const all = await list();
    const found = all.find(({ id }) => id === ref) ?? all.find(({ config }) => config().name === ref.trim());
    if (found) return found;
    const known = all.map(({ id }) => id);
    throw new AppError('NOT_FOUND', `Server '${ref}' not found.`, {
      field: 'id',
      hint:
        known.length > 0 ? `There are: ${known.join(', ')}.` : 'Add one: switchboard servers add NAME --npm PACKAGE',
    });
  }

  return {
    list,
    find,
    /** Those that are known now, without waiting for the store. */
    loaded: (): readonly ManagedServer[] => (isOpen ? [...servers.values()] : []),
    /** Holds an id while its server is being added, for one caller; returns how to let it go. */
    async reserve(id: ServerId): Promise<() => void> {
      await open();
      if (servers.has(id) || reserved.has(id)) throw taken(id);
      reserved.add(id);
      return () => void reserved.delete(id);
    },
    async add(config: ServerConfig): Promise<ManagedServer> {
      await open();
      await store.add(config);
      const added = await manage({ config, stoppedByHand: false, createdAt: now() });
      servers.set(config.id, added);
      onChange();
      return added;
    },
    async change(config: ServerConfig): Promise<ManagedServer> {
      const server = await find(config.id);
      await store.change(config);
      await server.reconfigure(config);
      return server;
    },
    async remove(server: ManagedServer): Promise<void> {
      await server.close(true);
      servers.delete(server.id);
      await store.remove(server.id);
      onChange();
    },
    async start(server: ManagedServer): Promise<void> {
      // Also where it fails: it is then tried again, by the next process as well.
      if (server.config().enabled) await store.setStoppedByHand(server.id, false);
      else throw disabled(server.id);
      await server.start();
    },
    async restart(server: ManagedServer): Promise<void> {
      await server.stop(false);
      await this.start(server);
    },
    /** It stays stopped until it is started by hand. */
    async stop(server: ManagedServer): Promise<void> {
      await store.setStoppedByHand(server.id, true);
      await server.stop(true);
    },
    /** Where the start fails, it is disabled again and the error is returned. */
    async enable(server: ManagedServer): Promise<void> {
      if (server.config().enabled) return;
      await store.change({ ...server.config(), enabled: true });
      await store.setStoppedByHand(server.id, false);
      await server.reconfigure({ ...server.config(), enabled: true });
      server.enable();
      try {
        await server.start();
      } catch (error) {
        await this.disable(server);
        throw error;
      }
    },
    async disable(server: ManagedServer): Promise<void> {
      const config = { ...server.config(), enabled: false };
      await store.change(config);
      await server.disable();
      await server.reconfigure(config);
    },
    /**
     * Starts what should run: at once where its tools are not known yet. Of the others clients get what was known before, and
     * the first call starts one that it needs; they are started a few at a time, after the first requests of clients.
     */
    async startAll(signal: AbortSignal): Promise<void> {
      const { known = [], unknown = [] } = Object.groupBy(await list(), (server) =>
        server.manifest() === undefined ? 'unknown' : 'known',
      );
      for (const server of unknown.filter(isWanted)) void server.start().catch(() => {});
      await sleep(HEAD_START_MS, undefined, { signal, ref: false }).catch(() => {});
      const starts = known.map((server) => () => (isWanted(server) ? server.start() : undefined));
      await startInTurn(starts, { ...TURNS, signal });
    },
    /** By hand they stay stopped; otherwise the next process starts them again. */
    async stopAll(byHand: boolean): Promise<void> {
      if (!isOpen) return;
      await Promise.all([...servers.values()].map((server) => (byHand ? this.stop(server) : server.close(false))));
    },
  };
}

export type Servers = ReturnType<typeof createServers>;

const TURNS = { atOnce: availableParallelism(), longestTurnMs: 500 };
/** Clients that have started this process ask for its lists first. */
const HEAD_START_MS = 100;

function isWanted(server: ManagedServer): boolean {
  const state = server.state();
  return state.state === 'stopped' && !state.byHand && server.config().start === 'eager';
}

function taken(id: ServerId): AppError {
  return new AppError('CONFLICT', `There is a server ${id} already.`, {
    field: 'name',
    hint: 'Choose another name, or remove that server first.',
  });
}

function disabled(id: ServerId): AppError {
  return new AppError('CONFLICT', 'The server is disabled.', { hint: `Enable it: switchboard servers enable ${id}` });
}
