import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface Reply {
  id: string;
  inReplyTo: string;
  storedAt: number;
}

/**
 * Which letters answer another one, from the delivery state of a repository: at most `limit`, stored from `since` on.
 */
export function repliesIn(mailFolder: string, since: number, limit: number): readonly Reply[] {
  const path = join(mailFolder, 'switchboard', 'side.db');
  if (!existsSync(path)) return [];
  const notes = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    return notes
      .prepare(
        `select id, in_reply_to as inReplyTo, stored_at as storedAt from letters
         where in_reply_to is not null and stored_at >= ? order by stored_at limit ?`,
      )
      .all(since, limit) as unknown as Reply[];
  } finally {
    notes.close();
  }
}
