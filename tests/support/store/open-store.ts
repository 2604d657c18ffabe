import { MIGRATIONS } from '../../../src/compose/stores.ts';
import { openDatabase as openDatabaseWith } from '../../../src/storage/sqlite/database.ts';
import { newestSchema } from '../../../src/storage/sqlite/migrate.ts';
import { openStore as openStoreWith, type Store, type StoreOptions } from '../../../src/storage/store.ts';

/** What the schema of a new store is. */
export const NEWEST_SCHEMA = newestSchema(MIGRATIONS);

/** A store as the program opens it, with the migrations of all capabilities. */
export function openStore(options: Omit<StoreOptions, 'migrations'>): Promise<Store> {
  return openStoreWith({ ...options, migrations: MIGRATIONS });
}

type DatabaseOptions = Parameters<typeof openDatabaseWith>[0];

export function openDatabase(options: Omit<DatabaseOptions, 'migrations'>): ReturnType<typeof openDatabaseWith> {
  return openDatabaseWith({ ...options, migrations: MIGRATIONS });
}
