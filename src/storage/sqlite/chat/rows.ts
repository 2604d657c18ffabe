import type { Reaction, StoredChat, StoredMessage } from '../../../chat/ports.ts';
import type { Attachment, ChatType, ContentType } from '../../../domain/chat.ts';
import type { MailHeaders } from '../../../domain/email.ts';
import type { Reader } from '../database.ts';

export interface ChatRow {
  key: number;
  source: string;
  id: string;
  name: string | null;
  type: ChatType;
  participant_count: number | null;
  last_at: number;
}

export const CHAT_COLUMNS = `
  c.key, o.id as source, c.id, c.name, c.type, c.participant_count, c.last_at
  from chats as c join chat_sources as o on o.key = c.source`;

export function toChat(row: ChatRow): StoredChat {
  return {
    key: row.key,
    source: row.source,
    id: row.id,
    name: row.name ?? row.id,
    type: row.type,
    ...(row.participant_count === null ? {} : { participantCount: row.participant_count }),
    ...(row.last_at < 0 ? {} : { lastMessageAt: row.last_at }),
  };
}

/** Reactions of one sender. */
export interface SenderReactions {
  id: string;
  name: string;
  signs: string[];
  at: number;
}

export interface Extra {
  attachments?: readonly Attachment[];
  reactions?: readonly SenderReactions[];
  mail?: MailHeaders;
}

export function parseExtra(extra: string | null): Extra {
  return extra === null ? {} : (JSON.parse(extra) as Extra);
}

export function formatExtra({ attachments = [], reactions = [], mail }: Extra): string | null {
  const extra = {
    ...(attachments.length ? { attachments } : {}),
    ...(reactions.length ? { reactions } : {}),
    ...(mail ? { mail } : {}),
  };
  return Object.keys(extra).length === 0 ? null : JSON.stringify(extra);
}

interface MessageRow extends Omit<ChatRow, 'key' | 'id' | 'name' | 'type'> {
  id: number;
  external_id: string;
  sender_id: string;
  sender_name: string;
  own: number;
  text: string;
  content_type: ContentType;
  at: number;
  answers: number | null;
  edited_at: number | null;
  deleted_at: number | null;
  extra: string | null;
  chat: number;
  chat_id: string;
  chat_name: string | null;
  chat_type: ChatType;
}

/** In the order of the given ids, without deleted ones. */
export function messagesOf(reader: Reader, ids: readonly number[]): StoredMessage[] {
  return reader.all<MessageRow>(MESSAGES, JSON.stringify(ids)).map(toMessage);
}

/**
 * Maximum bytes per page, so that a page of very long messages fits into memory. The first message is always
 * included.
 */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** The first ids whose messages fit into the limit together. */
export function withinByteLimit(reader: Reader, ids: readonly number[], maxBytes = MAX_PAGE_BYTES): readonly number[] {
  let bytes = 0;
  const sizes = reader.all<{ bytes: number }>(SIZES, JSON.stringify(ids));
  const end = sizes.findIndex((size, index) => {
    bytes += size.bytes;
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? ids : ids.slice(0, end);
}

const SIZES = `
  select coalesce(octet_length(m.text) + coalesce(octet_length(m.extra), 0), 0) as bytes
  from json_each(?) as wanted left join messages as m on m.id = wanted.value
  order by wanted.key`;

/** Cross joins make SQLite start with the ids. */
const MESSAGES = `
  select m.id, m.external_id, m.own, m.text, m.content_type, m.at, m.edited_at, m.deleted_at, m.extra, m.chat,
    (select a.id from messages as a where a.chat = m.chat and a.external_id = m.reply_to) as answers,
    s.id as sender_id, s.name as sender_name,
    c.id as chat_id, c.name as chat_name, c.type as chat_type, c.participant_count, c.last_at, o.id as source
  from json_each(?) as wanted
    cross join messages as m on m.id = wanted.value
    cross join senders as s on s.key = m.sender
    cross join chats as c on c.key = m.chat
    cross join chat_sources as o on o.key = c.source
  order by wanted.key`;

function toMessage(row: MessageRow): StoredMessage {
  const { attachments, reactions, mail } = parseExtra(row.extra);
  return {
    id: String(row.id),
    source: row.source,
    chat: chatOf(row),
    externalId: row.external_id,
    sender: { id: row.sender_id, name: row.sender_name },
    isOwn: row.own === 1,
    text: row.text,
    contentType: row.content_type,
    at: row.at,
    ...(row.answers === null ? {} : { replyTo: String(row.answers) }),
    ...(row.edited_at === null ? {} : { editedAt: row.edited_at }),
    ...(row.deleted_at === null ? {} : { deletedAt: row.deleted_at }),
    ...(attachments ? { attachments } : {}),
    ...(reactions ? { reactions: groupBySign(reactions) } : {}),
    ...(mail ? { mail } : {}),
  };
}

function chatOf(row: MessageRow): StoredChat {
  const { chat: key, source, chat_id: id, chat_name: name, chat_type: type, participant_count, last_at } = row;
  return toChat({ key, source, id, name, type, participant_count, last_at });
}

function groupBySign(reactions: readonly SenderReactions[]): Reaction[] {
  const senders = new Map<string, string[]>();
  for (const { name, signs } of reactions) {
    for (const sign of signs) senders.set(sign, [...(senders.get(sign) ?? []), name]);
  }
  return [...senders].map(([sign, names]) => ({ sign, senders: names }));
}
