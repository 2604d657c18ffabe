import type { ChatType, InboundChat, InboundEvent, InboundMessage, Sender } from '../../../domain/chat.ts';
import type { LocalTime, ToInstant } from '../../../lib/local-time.ts';
import type { SkipReason } from '../importer.ts';
import { type Fields, integerField, recordsField, textField } from '../json-fields.ts';
import { mediaOf } from './media.ts';
import { serviceText } from './service.ts';
import { forwardedText, textOf } from './text.ts';

export const DELETED = 'Deleted Account';
/** The year 10000 in milliseconds: larger values are invalid. */
const END_OF_TIME = 253_402_300_800_000;

/** What is known outside the messages of a chat. */
export interface ChatHead {
  id?: number;
  type?: string;
  name?: string;
}

type KnownChat = InboundChat & { type: ChatType };

export interface TelegramContext {
  chat: KnownChat;
  /** Whether a sender is the user who made the export. */
  isMe(sender: Sender): boolean;
  toInstant: ToInstant;
}

export type Converted =
  | { kind: 'events'; events: readonly InboundEvent[] /** The export has no time zone. */; isLocalTime: boolean }
  | { kind: 'skipped'; why: SkipReason };

const CHATS: Readonly<Record<string, { peer: 'user' | 'chat' | 'channel'; type: ChatType; name?: string }>> = {
  personal_chat: { peer: 'user', type: 'direct', name: DELETED },
  bot_chat: { peer: 'user', type: 'direct', name: DELETED },
  saved_messages: { peer: 'user', type: 'direct', name: 'Saved Messages' },
  replies: { peer: 'user', type: 'direct', name: 'Replies' },
  verify_codes: { peer: 'user', type: 'direct', name: 'Verification Codes' },
  private_group: { peer: 'chat', type: 'group' },
  private_supergroup: { peer: 'channel', type: 'group' },
  public_supergroup: { peer: 'channel', type: 'group' },
  private_channel: { peer: 'channel', type: 'channel' },
  public_channel: { peer: 'channel', type: 'channel' },
};

/** Users, groups and channels have separate number ranges, so the type is part of the id. */
export function toChat({ id, type = '', name }: ChatHead): KnownChat | undefined {
  if (id === undefined) return undefined;
  const { peer, type: chatType, name: usual } = (Object.hasOwn(CHATS, type) ? CHATS[type] : undefined) ?? UNKNOWN_CHAT;
  const shown = name || usual;
  return { id: `${peer}${id}`, type: chatType, ...(shown === undefined ? {} : { name: shown }) };
}

const UNKNOWN_CHAT = { peer: 'chat', type: 'group', name: undefined } as const;

export function toEvents(message: Fields, around: TelegramContext): Converted {
  const id = integerField(message, 'id');
  if (message.type === 'unsupported') return { kind: 'skipped', why: 'unsupported' };
  if (id === undefined) return { kind: 'skipped', why: 'no_id' };
  const sure = unixTime(message, 'date_unixtime');
  const at = sure ?? toInstant(message, around);
  if (at === undefined || at < 0 || at >= END_OF_TIME) return { kind: 'skipped', why: 'no_time' };
  const said: InboundEvent = { kind: 'message', message: toMessage(message, String(id), at, around) };
  const events = [said, ...reactionsOf(message, String(id), at, around)];
  return { kind: 'events', events, isLocalTime: sure === undefined };
}

function toInstant(message: Fields, around: TelegramContext): number | undefined {
  const local = localTime(message, 'date');
  return local && around.toInstant(local);
}

function toMessage(fields: Fields, id: string, at: number, { chat, isMe }: TelegramContext): InboundMessage {
  const isService = fields.type === 'service';
  const sender = senderOf(fields, isService ? 'actor' : 'from', chat);
  const media = mediaOf(fields);
  const own = isService ? serviceText(fields) : textOf(fields) || (media?.text ?? '');
  const text = isForwarded(fields) ? forwardedText(textField(fields, 'forwarded_from') ?? DELETED, own) : own;
  const replyTo = answeredId(fields);
  const editedAt = editTime(fields);
  return {
    chat,
    id,
    sender,
    ...(isMe(sender) ? { isOwn: true } : {}),
    text,
    contentType: isService ? 'system' : (media?.contentType ?? (own === '' ? 'unknown' : 'text')),
    at,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(editedAt === undefined ? {} : { editedAt }),
    ...(media?.attachment ? { attachments: [media.attachment] } : {}),
  };
}

/** Deleted accounts have an id but no name; old exports have plain numbers as ids. */
function senderOf(fields: Fields, role: 'actor' | 'from', chat: KnownChat): Sender {
  const number = integerField(fields, `${role}_id`);
  const id = textField(fields, `${role}_id`) ?? (number === undefined ? undefined : `user${number}`);
  const name = textField(fields, role);
  if (id === undefined && name === undefined) return { id: chat.id, name: chat.name ?? chat.id };
  return { id: id ?? (name as string), name: name ?? DELETED };
}

/** A hidden or deleted author is null. */
function isForwarded({ forwarded_from: from }: Fields): boolean {
  return from === null || (typeof from === 'string' && from !== '');
}

/** A reply to a message in another chat is not stored as a reply. A pin counts as a reply to the pinned message. */
function answeredId(fields: Fields): string | undefined {
  if ('reply_to_peer_id' in fields) return undefined;
  const id = integerField(fields, 'reply_to_message_id') ?? integerField(fields, 'message_id');
  return id === undefined ? undefined : String(id);
}

/** Reactions, votes and pressed buttons also set the edit time, so it is used only if there are none of these. */
function editTime(fields: Fields): number | undefined {
  if (NOT_AN_EDIT.some((field) => field in fields)) return undefined;
  const at = unixTime(fields, 'edited_unixtime');
  return at !== undefined && at < END_OF_TIME ? at : undefined;
}

const NOT_AN_EDIT = ['reactions', 'inline_bot_buttons', 'poll', 'location_information', 'via_bot', 'game_title'];

/** Only reactions with named senders; in channels the export mostly has only their number. */
function reactionsOf(fields: Fields, id: string, at: number, { chat }: TelegramContext): InboundEvent[] {
  if (!('reactions' in fields)) return [];
  const bySender = new Map<string, { sender: Sender; signs: string[]; at: number }>();
  for (const reaction of recordsField(fields, 'reactions')) {
    for (const recent of recordsField(reaction, 'recent')) {
      const sender = senderOf(recent, 'from', chat);
      const given = bySender.get(sender.id) ?? { sender, signs: [], at: reactionTime(recent, fields, at) };
      given.signs.push(signOf(reaction));
      bySender.set(sender.id, given);
    }
  }
  return [...bySender.values()].map((given) => ({ kind: 'reactions', chat: chat.id, message: id, ...given }));
}

function signOf(reaction: Fields): string {
  return textField(reaction, 'emoji') ?? (reaction.type === 'paid' ? '⭐' : 'custom emoji');
}

/** The reaction has only a local time; the message has both times, which gives the offset. */
function reactionTime(recent: Fields, message: Fields, at: number): number {
  const [reacted, written] = [localTime(recent, 'date'), localTime(message, 'date')];
  return reacted && written ? Math.max(at, at + asUtc(reacted) - asUtc(written)) : at;
}

function unixTime(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(seconds) && (seconds as number) > 0 ? (seconds as number) * 1000 : undefined;
}

function localTime(fields: Fields, name: string): LocalTime | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/.exec(textField(fields, name) ?? '');
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  return { year, month, day, hour, minute, second };
}

function asUtc({ year, month, day, hour, minute, second }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
