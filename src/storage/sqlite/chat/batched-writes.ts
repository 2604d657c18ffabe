import type { Database, Transaction } from '../database.ts';

/** What one transaction did, and where the next one goes on; it is the last one where that is not said. */
export interface BatchResult<Cursor> {
  done: number;
  next?: Cursor | undefined;
}

/** Long work as many short transactions, with a turn for everything else after each; gives how much was done. */
export async function writeInBatches<Cursor>(
  db: Database,
  start: Cursor,
  writeBatch: (tx: Transaction, cursor: Cursor) => BatchResult<Cursor>,
  progress: (done: number) => void = () => {},
): Promise<number> {
  let done = 0;
  for (let cursor: Cursor | undefined = start; cursor !== undefined; ) {
    const from: Cursor = cursor;
    const result = await db.write((tx) => writeBatch(tx, from));
    done += result.done;
    cursor = result.next;
    progress(done);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}
