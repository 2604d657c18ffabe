import type { Database } from './database.ts';

/** Rows that go in one transaction, so that neither the thread nor other writers wait long. */
const BATCH = 1_000;

/**
 * Forgets the rows from before the moment, oldest first, and returns how many went. It stops at the first row that
 * stays: after a clock was set back, older-looking rows behind it wait until it may go.
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
