import type { Database, Transaction } from '../database.ts';

/** What one transaction did, and the cursor for the next one. Without a cursor it was the last. */
export interface BatchResult<Cursor> {
  done: number;
  next?: Cursor | undefined;
}

/** Runs long work as many short transactions and yields to the event loop after each. Returns the sum of `done`. */
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
