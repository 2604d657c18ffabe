import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { openStore, type Store, type StoreOptions } from './store.ts';

/** Opens the store in a worker, on a connection of its own, until the work is done. */
export async function withOwnStore<T>(
  { home, url, migrations }: Pick<StoreOptions, 'home' | 'url' | 'migrations'>,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore({ home, url, migrations, clock: systemClock, log: createLog({ level: 'warn' }) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
