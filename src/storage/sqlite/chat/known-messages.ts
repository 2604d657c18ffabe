import type { Batch } from '../../../chat/ports.ts';
import type { InboundEvent } from '../../../domain/chat.ts';
import type { Reader } from '../database.ts';

const NONE: ReadonlySet<InboundEvent> = new Set();

/** The events of a batch whose messages are stored already, found at once: reading an export again is then cheap. */
export function knownMessages(reader: Reader, { source, events }: Batch): ReadonlySet<InboundEvent> {
  const { key } = reader.get<{ key: number }>('select key from chat_sources where id = ?', source) ?? {};
  if (key === undefined) return NONE;
  const byChat = groupByChat(events);
  const known = new Set<InboundEvent>();
  for (const chat of reader.all<{ key: number; id: string }>(CHATS, JSON.stringify([...byChat.keys()]), key)) {
    const inChat = byChat.get(chat.id) ?? [];
    const ids = JSON.stringify(inChat.map(({ message }) => message.id));
    for (const { position } of reader.all<{ position: number }>(STORED, ids, chat.key)) {
      const event = inChat[position];
      if (event) known.add(event);
    }
  }
  return known;
}

const CHATS = `
  select c.key, c.id from json_each(?) as wanted cross join chats as c on c.source = ? and c.id = wanted.value`;
const STORED = `
  select wanted.key as position from json_each(?) as wanted
  cross join messages as m on m.chat = ? and m.external_id = wanted.value`;

type MessageEvent = Extract<InboundEvent, { kind: 'message' }>;

function groupByChat(events: readonly InboundEvent[]): Map<string, MessageEvent[]> {
  const byChat = new Map<string, MessageEvent[]>();
  for (const event of events) {
    if (event.kind !== 'message') continue;
    const { id } = event.message.chat;
    const found = byChat.get(id);
    if (found) found.push(event);
    else byChat.set(id, [event]);
  }
  return byChat;
}
