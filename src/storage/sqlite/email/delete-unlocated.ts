import { deleteMessagesById } from '../chat/delete-by-id.ts';
import type { Database } from '../database.ts';

/** Emails per transaction. */
const ROWS_PER_BATCH = 200;

/** Deletes the emails of an account that are in no folder any more. Returns how many. */
export async function deleteUnlocated(db: Database, account: string, now: () => number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const rows = await db.read((reader) => reader.all<{ message: number }>(UNLOCATED, account, ROWS_PER_BATCH));
    if (rows.length === 0) return deleted;
    const ids = rows.map(({ message }) => message);
    await deleteMessagesById(db, account, ids, now());
    deleted += ids.length;
  }
}

const UNLOCATED = `
  select u.message from email_unlocated as u cross join emails as e on e.message = u.message
    cross join chat_sources as o on o.key = e.account where o.id = ? limit ?`;
