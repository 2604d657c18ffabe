import type { Attachment, ContentType, InboundChat, InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import type { BeeperAttachment, BeeperChat, BeeperMessage } from './schema.ts';
import { plainText } from './text.ts';

/** What is known besides the message. */
export interface Directory {
  chat(id: string): BeeperChat | undefined;
  /** The network of an account. */
  network(account: string | undefined): string | undefined;
  /** Who had reacted to the message before, as far as is known; replaced by those who have now. */
  reacted(message: string, people: ReadonlySet<string>): ReadonlySet<string>;
}

const TYPES: Readonly<Record<string, ContentType>> = {
  TEXT: 'text',
  NOTICE: 'text',
  IMAGE: 'image',
  VIDEO: 'video',
  VOICE: 'audio',
  AUDIO: 'audio',
  FILE: 'file',
  STICKER: 'sticker',
  LOCATION: 'location',
};
const ATTACHMENTS: Readonly<Record<string, ContentType>> = { img: 'image', video: 'video', audio: 'audio' };

/** The chat with its network in the name: several networks may have a chat of one name. */
export function toChat(chat: BeeperChat, about: Pick<Directory, 'network'>): InboundChat {
  const { id, type, participants, title } = chat;
  const network = chat.network || about.network(chat.accountID);
  const name = title || participants?.items.flatMap((each) => (each.isSelf ? [] : nameOf(each))).join(', ') || id;
  return {
    id,
    name: network ? `${name} (${network})` : name,
    type: type === 'single' ? 'direct' : type === 'channel' ? 'channel' : 'group',
    ...(participants?.total === undefined ? {} : { participantCount: participants.total }),
  };
}

/** The events that bring what is stored to the state of a message. */
export function toInbound(message: BeeperMessage, about: Directory): InboundEvent[] {
  if (message.isHidden || message.type === 'REACTION' || isPending(message)) return [];
  const { id, chatID: chat, senderID, editedTimestamp: editedAt } = message;
  const at = message.timestamp ?? 0;
  if (message.isDeleted) return [{ kind: 'delete', chat, message: id, at: editedAt ?? at }];
  const inbound = toMessage(message, at, about);
  const edit: InboundEvent[] =
    editedAt === undefined
      ? []
      : [{ kind: 'edit', chat, message: id, text: inbound.text, at: editedAt, sender: senderID }];
  return [{ kind: 'message', message: inbound }, ...edit, ...reactionEvents(message, at, about)];
}

/** The message has no final id yet. */
export function isPending({ sendStatus }: BeeperMessage): boolean {
  return sendStatus?.status === 'PENDING';
}

function toMessage(message: BeeperMessage, at: number, about: Directory): InboundMessage {
  const { id, chatID, type = 'TEXT', linkedMessageID: replyTo, attachments: files } = message;
  const chat = about.chat(chatID);
  const attachments = files.map(toAttachment);
  const text = plainText(message.text ?? '');
  const contentType = TYPES[type] ?? 'unknown';
  const isUnknown = contentType === 'unknown' && text === '' && attachments.length === 0;
  return {
    chat: chat ? toChat(chat, about) : { id: chatID },
    id,
    sender: senderOf(message, chat),
    ...(message.isSender ? { isOwn: true } : {}),
    text: isUnknown ? `Sent something that Switchboard does not know (${type.slice(0, 100)}).` : text,
    contentType: contentType === 'text' ? (attachments[0]?.type ?? 'text') : contentType,
    at,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

/** A person replaces their former reactions; those who have none any more are known only if they were seen before. */
function reactionEvents({ id, chatID: chat, reactions }: BeeperMessage, at: number, about: Directory): InboundEvent[] {
  const signs = Map.groupBy(reactions, ({ participantID }) => participantID);
  const before = about.reacted(`${chat} ${id}`, new Set(signs.keys()));
  const people = new Set([...signs.keys(), ...before]);
  return [...people].map((person) => ({
    kind: 'reactions',
    chat,
    message: id,
    sender: { id: person, name: personName(about.chat(chat), person) ?? person },
    signs: signs.get(person)?.map(({ reactionKey }) => reactionKey) ?? [],
    at,
  }));
}

function senderOf({ senderID: id, senderName }: BeeperMessage, chat: BeeperChat | undefined): Sender {
  return { id, name: senderName || personName(chat, id) || id };
}

function personName(chat: BeeperChat | undefined, id: string): string | undefined {
  const person = chat?.participants?.items.find((each) => each.id === id);
  return person && nameOf(person)[0];
}

function nameOf({ fullName, username }: { fullName?: string | undefined; username?: string | undefined }): string[] {
  const name = fullName || username;
  return name ? [name] : [];
}

function toAttachment(attachment: BeeperAttachment): Attachment {
  const { type = '', fileName, mimeType, fileSize, isSticker } = attachment;
  const url = mediaUrlOf(attachment);
  return {
    type: isSticker ? 'sticker' : (ATTACHMENTS[type] ?? 'file'),
    ...(fileName ? { name: fileName } : {}),
    ...(mimeType ? { mime: mimeType } : {}),
    ...(fileSize === undefined ? {} : { size: fileSize }),
    ...(url === undefined ? {} : { url }),
  };
}

/** Only media of messages: Beeper would also serve any file of this machine. */
export function isMediaUrl(url: string | undefined): url is string {
  return url !== undefined && /^(?:local)?mxc:\/\//.test(url);
}

function mediaUrlOf({ id, srcURL }: BeeperAttachment): string | undefined {
  return [id, srcURL].find(isMediaUrl);
}
