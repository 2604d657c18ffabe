import type { TimelineState } from '../../../chat/ports.ts';
import type { Reader, Transaction } from '../database.ts';

interface TimelineRow {
  id: string;
  newest: string | null;
  oldest: string | null;
  complete: number;
  chat: string | null;
}

export function saveTimeline(tx: Transaction, source: string, state: TimelineState): void {
  const { id, newest = null, oldest = null, complete, chat = null } = state;
  tx.run(
    `insert into chat_timelines (source, id, newest, oldest, complete, chat) values (?, ?, ?, ?, ?, ?)
     on conflict (source, id) do update set
       newest = excluded.newest, oldest = excluded.oldest, complete = excluded.complete, chat = excluded.chat`,
    source,
    id,
    newest,
    oldest,
    complete ? 1 : 0,
    chat,
  );
}

export function timelinesOf(reader: Reader, source: string): TimelineState[] {
  const rows = reader.all<TimelineRow>('select * from chat_timelines where source = ? order by id', source);
  return rows.map(({ id, newest, oldest, complete, chat }) => ({
    id,
    complete: complete === 1,
    ...(newest === null ? {} : { newest }),
    ...(oldest === null ? {} : { oldest }),
    ...(chat === null ? {} : { chat }),
  }));
}
