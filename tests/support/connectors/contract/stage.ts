import { after, before } from 'node:test';
import { systemClock } from '../../../../src/lib/clock.ts';
import { silentLog } from '../../operation-context.ts';
import type { Store } from '../../store/open-store.ts';
import { openStore } from '../../store/open-store.ts';
import { type ConnectedSource, startConnectedSource } from '../connected-source.ts';
import type { World } from '../contract.ts';

/** A world for a group of behaviours, with a store; both are closed when the group ends, even if it failed. */
export interface Stage {
  world: World;
  store: Store;
  /** Connects the source; it is stopped at the end if the test has not done so. */
  connect(options?: {
    settings?: Record<string, unknown>;
    history?: { days: number; messages: number };
    secrets?: Map<string, string>;
  }): Promise<ConnectedSource>;
}

export function stageFor(start: () => Promise<World>): Stage {
  const connections: ConnectedSource[] = [];
  const stage = {
    async connect({ settings = stage.world.settings, history, secrets = stage.world.secrets } = {}) {
      const { kind } = stage.world;
      const connection = await startConnectedSource({
        kind,
        settings,
        store: stage.store,
        ...(history ? { history } : {}),
        ...(secrets ? { secrets } : {}),
      });
      connections.push(connection);
      return connection;
    },
  } as Stage;
  before(async () => {
    stage.world = await start();
    stage.store = await openStore({
      url: 'sqlite::memory:',
      home: '',
      clock: systemClock,
      log: silentLog,
    });
  });
  after(async () => {
    await Promise.all(connections.map((connection) => connection.stop()));
    await stage.world?.close();
    await stage.store?.close();
  });
  return stage;
}

export function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index}`);
}

/** An optional part that a world must have unless its network is listed as lacking it. */
export function needed<T>(ability: T | undefined): T {
  if (ability === undefined) throw new Error('the world does not show this: give it, or name it in `lacks`');
  return ability;
}
