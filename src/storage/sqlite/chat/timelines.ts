import type { TimelineChange, TimelineState } from '../../../chat/ports.ts';
import type { Reader, Transaction } from '../database.ts';

interface TimelineRow {
  id: string;
  newest: string | null;
  oldest: string | null;
  complete: number;
  chat: string | null;
}

export function saveTimeline(tx: Transaction, source: string, change: TimelineChange): void {
  const { id, newest = null, oldest = null, complete, chat = null } = change;
  tx.run(
    `insert into chat_timelines (source, id, newest, oldest, complete, chat)
     values (?1, ?2, ?3, ?4, coalesce(?5, 0), ?6)
     on conflict (source, id) do update set
       newest = coalesce(?3, newest), oldest = coalesce(?4, oldest),
       complete = coalesce(?5, complete), chat = coalesce(?6, chat)`,
    source,
    id,
    newest,
    oldest,
    complete === undefined ? null : Number(complete),
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
