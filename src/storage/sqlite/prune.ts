import type { Database } from './database.ts';

/** Rows per transaction, so that neither the event loop nor other writers wait long. */
const BATCH = 1_000;

/**
 * Deletes rows older than the timestamp, oldest first, and returns how many. It stops at the first newer row: after
 * the clock was set back, rows behind it that look older stay until that row is old enough.
 */
export async function pruneOldest(db: Database, table: 'events' | 'audit', before: number): Promise<number> {
  const key = table === 'events' ? 'number' : 'position';
  const sql = `
    delete from ${table} where ${key} < (
      select coalesce(min(${key}) filter (where at >= ?), max(${key}) + 1)
      from (select ${key}, at from ${table} order by ${key} limit ${BATCH})
    )`;
  let deleted = 0;
  for (;;) {
    const changes = await db.write((tx) => tx.run(sql, before));
    deleted += changes;
    if (changes < BATCH) return deleted;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
