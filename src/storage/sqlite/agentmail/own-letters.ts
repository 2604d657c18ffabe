import { DatabaseSync } from 'node:sqlite';
import type { LetterProof, OwnLetters } from '../../../agentmail/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database } from '../database.ts';

const FIND = 'select 1 from agentmail_own_letters where repository = ? and id = ? and digest = ?';
const BUSY_TIMEOUT_MS = 50;

export function createOwnLetters(db: Database, clock: Clock): OwnLetters {
  return {
    add: ({ repository, id, digest }) =>
      db.write((tx) => {
        tx.run(
          `insert into agentmail_own_letters (repository, id, digest, stored_at) values (?, ?, ?, ?)
           on conflict (repository, id) do update set digest = excluded.digest, stored_at = excluded.stored_at`,
          ...[repository, id, digest, clock.now()],
        );
      }),
    has: ({ repository, id, digest }) => db.read((reader) => reader.get(FIND, repository, id, digest) !== undefined),
  };
}

/** For a process that does not own the store: reads one fact of the file. False if there is no such store. */
export function isOwnLetterIn(location: string, { repository, id, digest }: LetterProof): boolean {
  let store: DatabaseSync | undefined;
  try {
    store = new DatabaseSync(location, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return store.prepare(FIND).get(repository, id, digest) !== undefined;
  } catch {
    // It does not exist, or is of an earlier version.
    return false;
  } finally {
    store?.close();
  }
}
