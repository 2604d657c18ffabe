import type { InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import { ENCRYPTED, said } from './content.ts';
import { type Content, type RoomEvent, readContent } from './schema.ts';

/** What is to be known of a room to understand its events. */
export interface RoomContext {
  room: string;
  /** Our own user. */
  me: string;
  displayName(user: string): string | undefined;
  /** A reaction that was told of before, by the id of its event. */
  reaction(event: string): ReactionEvent | undefined;
}

export type ReactionEvent = Extract<InboundEvent, { kind: 'reaction' }>;

/** The last moment that a date can be. */
const END_OF_TIME = 8_640_000_000_000_000;

/** Never messages by themselves: signalling between clients, and what only changes something else. */
const SILENT =
  /^(?:m\.call\.|m\.key\.|m\.poll\.(?:response|end)|org\.matrix\.msc3381\.poll\.(?:response|end)|m\.beacon$)/;

/** What an event says in our words; nothing for those that are of no interest here, such as somebody's joining. */
export function toInbound(event: RoomEvent, at: RoomContext): InboundEvent | undefined {
  if (event.state_key !== undefined || SILENT.test(event.type)) return undefined;
  if (event.type === 'm.room.redaction') return redaction(event, at);
  if (event.unsigned?.redacted_because) return deletion(event.event_id, event, at);
  const content = readContent(event.content);
  if (event.type === 'm.reaction') return reaction(event, content, at);
  if (content['m.relates_to']?.rel_type === 'm.replace') return edit(event, content, at);
  const message = toMessage(event, content, at);
  return message && { kind: 'message', message };
}

function toMessage(event: RoomEvent, content: Content, at: RoomContext): InboundMessage | undefined {
  const isEncrypted = event.type === 'm.room.encrypted';
  const isKnown = isEncrypted || event.type === 'm.room.message' || event.type === 'm.sticker';
  // Kinds of events that are newer than this program have a text for those who do not know them, if they are meant to be seen.
  if (!isKnown && content.body === undefined) return undefined;
  const answered = answeredMessage(content);
  return {
    chat: { id: at.room },
    id: event.event_id,
    sender: sender(event, at),
    ...(event.sender === at.me ? { isOwn: true } : {}),
    ...(isEncrypted ? { text: ENCRYPTED, contentType: 'unknown' } : said(event.type, content)),
    at: timestamp(event.origin_server_ts),
    ...(answered === undefined ? {} : { replyTo: answered }),
  };
}

/** In a thread, clients that know nothing of threads are told of an answer to its latest message; it answers the first. */
function answeredMessage({ 'm.relates_to': relation }: Content): string | undefined {
  if (relation?.rel_type === 'm.thread' && relation.is_falling_back) return relation.event_id;
  return relation?.['m.in_reply_to']?.event_id ?? (relation?.rel_type === 'm.thread' ? relation.event_id : undefined);
}

function edit(event: RoomEvent, content: Content, at: RoomContext): InboundEvent | undefined {
  const message = content['m.relates_to']?.event_id;
  // What an encrypted edit says is unknown; the text that stands for the message is right for it too.
  if (!message || event.type !== 'm.room.message') return undefined;
  const { text } = said(event.type, edited(content));
  return { kind: 'edit', chat: at.room, message, text, at: timestamp(event.origin_server_ts), sender: event.sender };
}

/** The text outside `m.new_content` is for clients that do not know edits, and begins with an asterisk. */
function edited(content: Content): Content {
  const replacement = content['m.new_content'];
  if (replacement) return { ...readContent(replacement), 'm.relates_to': { 'm.in_reply_to': {} } };
  return { ...content, ...(content.body === undefined ? {} : { body: content.body.replace(/^\* /, '') }) };
}

function redaction(event: RoomEvent, at: RoomContext): InboundEvent | undefined {
  // Since version 11 of rooms it stands in the content.
  const target = event.redacts ?? readRedacts(event.content);
  if (!target) return undefined;
  const known = at.reaction(target);
  if (known?.chat === at.room) return { ...known, removed: true, at: timestamp(event.origin_server_ts) };
  return { kind: 'delete', chat: at.room, message: target, at: timestamp(event.origin_server_ts) };
}

/** History shows what was redacted without its content: it may have been an edit or a reaction as well as a message. */
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

/** Of whom nothing is known here goes by the id, which does not replace a name that is known from elsewhere. */
function sender({ sender: id }: RoomEvent, at: RoomContext): Sender {
  return { id, name: at.displayName(id) ?? id };
}

/** Whoever runs a server can write any number as the time of an event. */
function timestamp(timestamp: number): number {
  return Math.min(Math.max(Math.trunc(timestamp), 0), END_OF_TIME);
}

function readRedacts(content: Record<string, unknown>): string | undefined {
  return typeof content.redacts === 'string' ? content.redacts : undefined;
}
