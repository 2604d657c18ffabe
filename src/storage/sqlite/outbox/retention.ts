import type { Database } from '../database.ts';

/** Rows per transaction, so that other writers and the event loop are not blocked for long. */
const BATCH = 500;
/** Grants are compared with the ids; names are content. */
const IDS_ALONE = `(
  select json_group_array(json_object('id', value -> 'id', 'name', value -> 'id')) from json_each(recipients)
)`;
const FINISHED = `state in ('sent', 'failed', 'discarded')`;

/** Empties the content of items that were finished long ago, and deletes those that were finished longer ago. */
export async function forgetFinished(
  db: Database,
  before: { content: number; rows: number },
): Promise<{ emptied: number; gone: number }> {
  const old = (condition: string) =>
    `select position from outbox where ${FINISHED} and ${condition} changed_at < ? limit ${BATCH}`;
  const emptied = await inBatches(
    db,
    `update outbox set payload = '{}', summary = '', held_because = null, recipients = ${IDS_ALONE}
     where position in (${old(`payload <> '{}' and`)})`,
    before.content,
  );
  const gone = await inBatches(db, `delete from outbox where position in (${old('')})`, before.rows);
  return { emptied, gone };
}

async function inBatches(db: Database, sql: string, timestamp: number): Promise<number> {
  let changed = 0;
  for (;;) {
    const changes = await db.write((tx) => tx.run(sql, timestamp));
    changed += changes;
    if (changes < BATCH) return changed;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
