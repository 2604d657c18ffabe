import type { InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import { ENCRYPTED, type ParsedContent, said } from './content.ts';
import { otherContent } from './other-content.ts';
import { type Content, type RoomEvent, readContent } from './schema.ts';

/** State of a room that is needed to interpret its events. */
export interface RoomContext {
  room: string;
  /** Our own user id. */
  me: string;
  displayName(user: string): string | undefined;
  /** An earlier reaction, by the id of its event. */
  reaction(event: string): ReactionEvent | undefined;
}

export type ReactionEvent = Extract<InboundEvent, { kind: 'reaction' }>;

/** The largest valid timestamp. */
const END_OF_TIME = 8_640_000_000_000_000;

/** Never messages: signalling between clients, votes and positions. */
const SILENT =
  /^(?:m\.call\.(?!invite$)|org\.matrix\.call\.|m\.key\.|(?:m|org\.matrix\.msc3381)\.poll\.response$|m\.beacon$|org\.matrix\.msc3672\.beacon$)/;

/** Converts an event; undefined for events that are not stored, such as joins. */
export function toInbound(event: RoomEvent, at: RoomContext): InboundEvent | undefined {
  if (!isShown(event)) return undefined;
  if (event.type === 'm.room.redaction') return redaction(event, at);
  if (event.unsigned?.redacted_because) return deletion(event.event_id, event, at);
  const content = readContent(event.content);
  if (event.type === 'm.reaction') return reaction(event, content, at);
  if (content['m.relates_to']?.rel_type === 'm.replace') return edit(event, content, at);
  const message = toMessage(event, content, at);
  return message && { kind: 'message', message };
}

/** Of the changes of a room, only its end is shown. */
function isShown({ type, state_key: key }: RoomEvent): boolean {
  return key === undefined ? !SILENT.test(type) : type === 'm.room.tombstone' && key === '';
}

function toMessage(event: RoomEvent, content: Content, at: RoomContext): InboundMessage | undefined {
  const parsed = contentOf(event, content);
  if (!parsed) return undefined;
  const { about, ...words } = parsed;
  const answered = about ?? answeredMessage(content);
  return {
    chat: { id: at.room },
    id: event.event_id,
    sender: sender(event, at),
    ...(event.sender === at.me ? { isOwn: true } : {}),
    ...words,
    at: timestamp(event.origin_server_ts),
    ...(answered === undefined ? {} : { replyTo: answered }),
  };
}

function contentOf(event: RoomEvent, content: Content): (ParsedContent & { about?: string }) | undefined {
  if (event.type === 'm.room.encrypted') return { text: ENCRYPTED, contentType: 'unknown' };
  if (event.type === 'm.room.message' || event.type === 'm.sticker') return said(event.type, content);
  return otherContent(event);
}

/** In a thread, the fallback reply for older clients refers to its latest message; the real reply is to the first. */
function answeredMessage({ 'm.relates_to': relation }: Content): string | undefined {
  if (relation?.rel_type === 'm.thread' && relation.is_falling_back) return relation.event_id;
  return relation?.['m.in_reply_to']?.event_id ?? (relation?.rel_type === 'm.thread' ? relation.event_id : undefined);
}

function edit(event: RoomEvent, content: Content, at: RoomContext): InboundEvent | undefined {
  const message = content['m.relates_to']?.event_id;
  // The content of an encrypted edit is unknown; the placeholder text is still right.
  if (!message || event.type === 'm.room.encrypted') return undefined;
  const text = editedText(event, content);
  if (text === undefined) return undefined;
  return { kind: 'edit', chat: at.room, message, text, at: timestamp(event.origin_server_ts), sender: event.sender };
}

function editedText(event: RoomEvent, content: Content): string | undefined {
  if (event.type === 'm.room.message') return said(event.type, edited(content)).text;
  return otherContent({ ...event, content: content['m.new_content'] ?? event.content })?.text;
}

/** The text outside `m.new_content` is a fallback that begins with an asterisk. */
function edited(content: Content): Content {
  const replacement = content['m.new_content'];
  if (replacement) return { ...readContent(replacement), 'm.relates_to': { 'm.in_reply_to': {} } };
  return { ...content, ...(content.body === undefined ? {} : { body: content.body.replace(/^\* /, '') }) };
}

function redaction(event: RoomEvent, at: RoomContext): InboundEvent | undefined {
  // Since room version 11 it is in the content.
  const target = event.redacts ?? readRedacts(event.content);
  if (!target) return undefined;
  const known = at.reaction(target);
  if (known?.chat === at.room) return { ...known, removed: true, at: timestamp(event.origin_server_ts) };
  return { kind: 'delete', chat: at.room, message: target, at: timestamp(event.origin_server_ts) };
}

/** History contains redacted events without content; they may have been edits or reactions as well as messages. */
function deletion(message: string, event: RoomEvent, at: RoomContext): InboundEvent | undefined {
  if (event.type === 'm.reaction') return undefined;
  const when = event.unsigned?.redacted_because?.origin_server_ts ?? event.origin_server_ts;
  return { kind: 'delete', chat: at.room, message, at: timestamp(when) };
}

function reaction(event: RoomEvent, content: Content, at: RoomContext): ReactionEvent | undefined {
  const { rel_type: type, event_id: message, key: sign } = content['m.relates_to'] ?? {};
  if (type !== 'm.annotation' || !message || !sign) return undefined;
  return {
    kind: 'reaction',
    chat: at.room,
    message,
    sender: sender(event, at),
    sign,
    at: timestamp(event.origin_server_ts),
  };
}

/** An unknown sender gets the user id as name, which does not replace a known name. */
function sender({ sender: id }: RoomEvent, at: RoomContext): Sender {
  return { id, name: at.displayName(id) ?? id };
}

/** Servers can send any number as the timestamp of an event. */
function timestamp(timestamp: number): number {
  return Math.min(Math.max(Math.trunc(timestamp), 0), END_OF_TIME);
}

function readRedacts(content: Record<string, unknown>): string | undefined {
  return typeof content.redacts === 'string' ? content.redacts : undefined;
}
