import type { tl } from '@mtcute/core';
import type { InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import { mediaOf } from './media.ts';
import { chatOf, idOf, type Peers, senderOf, userName } from './names.ts';
import { serviceText } from './service.ts';

/** Telegram's limit is 4,096; a premium account's caption has fewer. */
const MAX_TEXT = 65_536;
/** The most reactions that are read of one message: Telegram lists only the latest senders. */
const MAX_REACTIONS = 200;
const SECOND = 1_000;

type AnyMessage = tl.RawMessage | tl.RawMessageService;

/** What makes a message of Telegram one of ours. */
export interface Translation {
  /** Our own id. */
  self: string;
  peers: Peers;
}

/** A message of history, or a new one: with its reactions. */
export function toEvents(message: tl.TypeMessage, translation: Translation): InboundEvent[] {
  if (message._ === 'messageEmpty') return [];
  const reactions = message.reactions ? reactionEvents(message.peerId, message.id, message.reactions, translation) : [];
  return [{ kind: 'message', message: toMessage(message, translation) }, ...reactions];
}

/** A changed message. Telegram reports reactions and counters like edits, but marks them. */
export function toEdit(message: tl.TypeMessage, translation: Translation): InboundEvent[] {
  if (message._ !== 'message') return [];
  const { text } = toMessage(message, translation);
  const id = String(message.id);
  const chat = idOf(message.peerId);
  const edit: InboundEvent[] =
    message.editDate === undefined || message.editHide
      ? []
      : [{ kind: 'edit', chat, message: id, text, at: message.editDate * SECOND }];
  const { reactions } = message;
  return [...edit, ...(reactions ? reactionEvents(message.peerId, message.id, reactions, translation) : [])];
}

/**
 * The reactions of a message as Telegram lists them: those of the latest senders. Who is not listed may still have
 * reacted, unless all are listed.
 */
export function reactionEvents(
  peer: tl.TypePeer,
  message: number,
  { recentReactions = [] }: tl.TypeMessageReactions,
  { peers }: Translation,
): InboundEvent[] {
  const bySender = new Map<string, { sender: Sender; signs: string[]; at: number }>();
  for (const { peerId, reaction, date } of recentReactions.slice(0, MAX_REACTIONS)) {
    const sender = senderOf(peerId, peers);
    const entry = bySender.get(sender.id) ?? { sender, signs: [], at: 0 };
    const sign = signOf(reaction);
    if (sign) entry.signs.push(sign);
    entry.at = Math.max(entry.at, date * SECOND);
    bySender.set(sender.id, entry);
  }
  const about = { chat: idOf(peer), message: String(message) };
  return [...bySender.values()].map((entry) => ({ kind: 'reactions', ...about, ...entry }));
}

/** Whether every reaction is listed with its sender. */
export function isWholeList({ results, recentReactions = [] }: tl.TypeMessageReactions): boolean {
  return results.reduce((sum, { count }) => sum + count, 0) === recentReactions.length;
}

function signOf(reaction: tl.TypeReaction): string {
  switch (reaction._) {
    case 'reactionEmoji':
      return reaction.emoticon;
    case 'reactionCustomEmoji':
      return `custom:${reaction.documentId}`;
    case 'reactionPaid':
      return '⭐';
    default:
      return '';
  }
}

function toMessage(message: AnyMessage, { self, peers }: Translation): InboundMessage {
  const { peerId, id, date } = message;
  const chat = chatOf(peerId, peers, self);
  const sender = authorOf(message, self, peers);
  const reply = replyOf(message.replyTo);
  return {
    chat,
    id: String(id),
    sender,
    ...(sender.id === self ? { isOwn: true } : {}),
    ...contentOf(message, sender.name, peers),
    at: date * SECOND,
    ...(reply === undefined ? {} : { replyTo: reply }),
    ...editedAt(message),
  };
}

/** In a direct chat and in a channel the sender is left out. */
function authorOf(message: AnyMessage, self: string, peers: Peers): Sender {
  const { fromId, peerId, out } = message;
  if (fromId) return senderOf(fromId, peers);
  if (out && peerId._ === 'peerUser') return senderOf({ _: 'peerUser', userId: Number(self) }, peers);
  const sender = senderOf(peerId, peers);
  const signature = message._ === 'message' ? message.postAuthor : undefined;
  return signature ? { ...sender, name: `${sender.name} (${signature.slice(0, 128)})` } : sender;
}

function contentOf(
  message: AnyMessage,
  sender: string,
  { users }: Peers,
): Pick<InboundMessage, 'text' | 'contentType' | 'attachments'> {
  if (message._ === 'messageService') {
    const nameOf = (user: number) => userName(users.get(user)) || String(user);
    return { text: limited(serviceText(message.action, sender, nameOf)), contentType: 'system' };
  }
  const media = mediaOf(message.media, addressOf(idOf(message.peerId), message.id));
  const forwarded = forwardedFrom(message.fwdFrom, users);
  const own = message.message || media?.text || '';
  return {
    text: limited(forwarded ? `${forwarded}\n${own}` : own),
    contentType: media?.contentType ?? (own === '' ? 'unknown' : 'text'),
    ...(media?.attachment ? { attachments: [media.attachment] } : {}),
  };
}

/** As imported exports are shown. */
function forwardedFrom(header: tl.TypeMessageFwdHeader | undefined, users: Peers['users']): string | undefined {
  if (!header) return undefined;
  const user = header.fromId?._ === 'peerUser' ? userName(users.get(header.fromId.userId)) : '';
  const name = user || header.fromName || header.postAuthor;
  return name ? `Forwarded from ${name.slice(0, 256)}:` : undefined;
}

/** In a topic of a forum every message refers to the first one of the topic. */
function replyOf(header: tl.TypeMessageReplyHeader | undefined): string | undefined {
  if (header?._ !== 'messageReplyHeader' || header.replyToPeerId || header.replyToMsgId === undefined) return undefined;
  return header.forumTopic && header.replyToTopId === undefined ? undefined : String(header.replyToMsgId);
}

function editedAt(message: AnyMessage): { editedAt?: number } {
  if (message._ !== 'message' || message.editDate === undefined || message.editHide) return {};
  return { editedAt: message.editDate * SECOND };
}

function limited(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}

/** The address of the file of a message: file references of Telegram expire, so that the message is asked for again. */
function addressOf(chat: string, message: number): string {
  return `telegram:${chat}/${message}`;
}

/** The chat and the message of such an address. */
export function messageAt(url: string | undefined): { chat: string; message: number } | undefined {
  const [, chat, message] = /^telegram:(-?\d{1,16})\/(\d{1,10})$/.exec(url ?? '') ?? [];
  return chat === undefined ? undefined : { chat, message: Number(message) };
}
