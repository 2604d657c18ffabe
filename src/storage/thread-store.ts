import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { openStore, type Store, type StoreOptions } from './store.ts';

type Place = Pick<StoreOptions, 'home' | 'url' | 'migrations'>;

/** Opens the store in a worker, on a connection of its own. */
export function openOwnStore({ home, url, migrations }: Place): Promise<Store> {
  return openStore({ home, url, migrations, clock: systemClock, log: createLog({ level: 'warn' }) });
}

/** The same until the work is done. */
export async function withOwnStore<T>(place: Place, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openOwnStore(place);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
