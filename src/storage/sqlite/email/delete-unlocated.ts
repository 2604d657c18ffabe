import type { UnlocatedEmail } from '../../../email/ports.ts';
import { deleteMessagesById } from '../chat/delete-by-id.ts';
import type { Database, Reader } from '../database.ts';

/** Emails per transaction. */
const ROWS_PER_BATCH = 200;

export function unlocatedOf(reader: Reader, account: string): UnlocatedEmail[] {
  return reader
    .all<{ message: number; received_at: number }>(UNLOCATED, account)
    .map(({ message, received_at: receivedAt }) => ({ id: String(message), receivedAt }));
}

/** Deletes those of these emails that are in no folder. Returns how many. */
export async function deleteUnlocated(
  db: Database,
  account: string,
  ids: readonly number[],
  now: () => number,
): Promise<number> {
  let deleted = 0;
  for (let at = 0; at < ids.length; at += ROWS_PER_BATCH) {
    const some = JSON.stringify(ids.slice(at, at + ROWS_PER_BATCH));
    // Within the transaction that deletes: another thread may find them in a folder meanwhile.
    const choose = (tx: Reader) =>
      tx.all<{ message: number }>(STILL_UNLOCATED, some, account).map(({ message }) => message);
    deleted += await deleteMessagesById(db, account, choose, now());
  }
  return deleted;
}

const UNLOCATED = `
  select u.message, e.received_at from email_unlocated as u cross join email_contents as e on e.message = u.message
    cross join chat_sources as o on o.key = e.account where o.id = ?`;
const STILL_UNLOCATED = `
  select u.message from json_each(?) as wanted cross join email_unlocated as u on u.message = wanted.value
    cross join email_contents as e on e.message = u.message cross join chat_sources as o on o.key = e.account where o.id = ?`;
