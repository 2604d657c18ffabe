import type { Database } from './database.ts';
import { newestSchema, schemaNumber } from './migrate.ts';

/** Reasons why the store cannot be used now. The texts are public: they contain no path and no URL. */
export async function storeProblems(db: Database): Promise<readonly string[]> {
  try {
    // An empty write detects a removed file and waits for a process that holds the lock.
    await db.write(() => {});
    const schema = await db.read(() => schemaNumber(db.connection()));
    return schema === newestSchema(db.migrations) ? [] : ['The store has the schema of another version.'];
  } catch {
    return ['The store does not answer.'];
  }
}
