import type { InboundEvent } from '../../../domain/chat.ts';
import type { Transaction } from '../database.ts';

const MAX_AGE_DAYS = 30;
/** Limits the changes kept for messages that never arrive, since a remote sender can send any number of them. */
const MAX_PENDING = 20_000;

export type PendingChange = Exclude<InboundEvent, { kind: 'chat' | 'message' }>;

/** Keeps an edit, deletion or reaction that arrived before its message. */
export function savePendingChange(tx: Transaction, source: number, event: PendingChange, now: number): void {
  const row = tx.get<{ position: number }>(
    `insert into message_changes (source, chat, message, received_at, event) values (?, ?, ?, ?, ?) returning position`,
    source,
    event.chat,
    event.message,
    now,
    JSON.stringify(event),
  );
  tx.run('delete from message_changes where position <= ?', (row?.position ?? 0) - MAX_PENDING);
  tx.run(
    `delete from message_changes where position in (
       select position from message_changes order by position limit 10) and received_at < ?`,
    now - MAX_AGE_DAYS * 86_400_000,
  );
}

export function hasPendingChanges(tx: Transaction, source: number): boolean {
  return tx.get('select 1 from message_changes where source = ? limit 1', source) !== undefined;
}

/** Returns and removes the pending changes of this message, oldest first. */
export function takePendingChanges(tx: Transaction, source: number, chat: string, message: string): PendingChange[] {
  const rows = tx.all<{ event: string }>(
    'select event from message_changes where source = ? and chat = ? and message = ? order by position',
    source,
    chat,
    message,
  );
  if (rows.length === 0) return [];
  tx.run('delete from message_changes where source = ? and chat = ? and message = ?', source, chat, message);
  return rows.map(({ event }) => JSON.parse(event) as PendingChange);
}
