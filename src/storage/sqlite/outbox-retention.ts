import type { Database } from './database.ts';

/** Rows that change in one transaction, so that neither the thread nor other writers wait long. */
const BATCH = 500;
const FINISHED = `state in ('sent', 'failed', 'discarded')`;

/** Takes the words out of what was finished long ago, and the rows of what was finished longer ago. */
export async function forgetFinished(
  db: Database,
  before: { words: number; rows: number },
): Promise<{ emptied: number; gone: number }> {
  const old = (condition: string) =>
    `select position from outbox where ${FINISHED} and ${condition} changed_at < ? limit ${BATCH}`;
  const emptied = await inBatches(
    db,
    `update outbox set payload = '{}' where position in (${old(`payload <> '{}' and`)})`,
    before.words,
  );
  const gone = await inBatches(db, `delete from outbox where position in (${old('')})`, before.rows);
  return { emptied, gone };
}

async function inBatches(db: Database, sql: string, moment: number): Promise<number> {
  let changed = 0;
  for (;;) {
    const changes = await db.write((tx) => tx.run(sql, moment));
    changed += changes;
    if (changes < BATCH) return changed;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
