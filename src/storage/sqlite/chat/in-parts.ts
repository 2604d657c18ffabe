import type { Database, Transaction } from '../database.ts';

/** What one transaction did, and where the next one goes on; it is the last one where that is not said. */
export interface Part<Place> {
  done: number;
  next?: Place | undefined;
}

/** Long work as many short transactions, with a turn for everything else after each; gives how much was done. */
export async function inParts<Place>(
  db: Database,
  start: Place,
  work: (tx: Transaction, place: Place) => Part<Place>,
  progress: (done: number) => void = () => {},
): Promise<number> {
  let done = 0;
  for (let place: Place | undefined = start; place !== undefined; ) {
    const from: Place = place;
    const part = await db.write((tx) => work(tx, from));
    done += part.done;
    place = part.next;
    progress(done);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}
