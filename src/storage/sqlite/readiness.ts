import type { Database } from './database.ts';
import { newestSchema, schemaNumber } from './migrate.ts';

/** Why the store cannot be used just now, if so. Sentences that anybody may read: no path, no address. */
export async function storeProblems(db: Database): Promise<readonly string[]> {
  try {
    // A write that changes nothing notices a file that is gone, and waits for whoever holds the store.
    await db.write(() => {});
    const schema = await db.read(() => schemaNumber(db.connection()));
    return schema === newestSchema(db.migrations) ? [] : ['The schema of the store is not the one of this version.'];
  } catch {
    return ['The store does not answer.'];
  }
}
