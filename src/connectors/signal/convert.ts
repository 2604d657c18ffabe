import type { InboundChat, InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import { contentOf, type NameOf, type SignalContent, system } from './content.ts';
import { type DataMessage, type Envelope, type ReadMessage, type Received, readMessage, readSent } from './schema.ts';

/** Our own account. */
export interface Self {
  number: string;
  /** Unknown until the first message of ours, or a list, names it. */
  uuid?: string | undefined;
}

/** What is known besides the message. */
export interface Directory {
  self: Self;
  nameOf: NameOf;
  groupName(id: string): string | undefined;
  /** The UUID of a phone number. */
  uuidOf(number: string): string | undefined;
  /** The first version of an edited message, by the id of any version. */
  firstVersion(id: string): string;
}

interface Address {
  uuid?: string | undefined;
  number?: string | undefined;
}

/** One message in its place. */
interface Place {
  chat: InboundChat;
  author: Sender;
  isOwn: boolean;
  at: number;
}

export const NOTE_TO_SELF = 'Note to Self';

/** The identity of a message is its author with the timestamp of sending. */
export function messageId(author: string, timestamp: number): string {
  return `${timestamp}-${author}`;
}

/** The inverse of `messageId`. */
export function parseMessageId(id: string): { author: string; timestamp: number } | undefined {
  const [, timestamp, author] = /^(\d{1,16})-(.+)$/.exec(id) ?? [];
  return timestamp === undefined || author === undefined ? undefined : { author, timestamp: Number(timestamp) };
}

/** The events of a notification; none for receipts, typing and what else is not stored. */
export function toInbound({ envelope, exception }: Received, about: Directory): InboundEvent[] {
  const source = { uuid: envelope.sourceUuid, number: envelope.sourceNumber };
  const { syncMessage, callMessage, timestamp: at } = envelope;
  const sender = personId(source, about);
  if (sender === undefined || at === undefined) return [];
  const author = { id: sender, name: nameIn(envelope, sender, about) };
  const from = (message: DataMessage | undefined): Place => ({
    chat: groupOf(message, about) ?? directChat(source, about, envelope.sourceName),
    author,
    isOwn: isSelf(source, about),
    at: message?.timestamp ?? at,
  });
  if (syncMessage?.sentMessage !== undefined) return sentEvents(syncMessage.sentMessage, { author, at }, about);
  const data = readMessage(envelope.dataMessage);
  if (data) return dataEvents(data, from(data), about);
  const edit = envelope.editMessage;
  const edited = edit && readMessage(edit.dataMessage);
  if (edited) return editEvents(edit.targetSentTimestamp, edited, from(edited), about);
  if (callMessage?.offerMessage) return [messageEvent(callText(callMessage.offerMessage.type), from(undefined))];
  if (!exception || syncMessage) return [];
  return [messageEvent({ text: 'A message could not be decrypted.', contentType: 'unknown' }, from(undefined))];
}

/** What we wrote on another device. */
function sentEvents(value: unknown, { author, at }: { author: Sender; at: number }, about: Directory): InboundEvent[] {
  const { destinationUuid: uuid, destinationNumber: number, editMessage } = readSent(value) ?? {};
  const edited = editMessage && readMessage(editMessage.dataMessage);
  const data = edited ?? readMessage(value);
  if (!data) return [];
  const chat = groupOf(data, about) ?? (uuid || number ? directChat({ uuid, number }, about) : undefined);
  if (!chat) return [];
  const place = { chat, author, isOwn: true, at: data.timestamp ?? at };
  return edited ? editEvents(editMessage.targetSentTimestamp, edited, place, about) : dataEvents(data, place, about);
}

function dataEvents(data: ReadMessage, place: Place, about: Directory): InboundEvent[] {
  const { chat, author, at } = place;
  const { reaction, remoteDelete, adminDelete } = data;
  if (reaction) {
    const message = targetOf(reaction, about);
    if (message === undefined || !reaction.emoji) return [];
    const signs = reaction.isRemove ? [] : [reaction.emoji];
    return [{ kind: 'reactions', chat: chat.id, message, sender: author, signs, at }];
  }
  if (remoteDelete?.timestamp !== undefined) {
    const message = about.firstVersion(messageId(author.id, remoteDelete.timestamp));
    return [{ kind: 'delete', chat: chat.id, message, at, sender: author.id }];
  }
  if (adminDelete) {
    const message = targetOf(adminDelete, about);
    return message === undefined ? [] : [{ kind: 'delete', chat: chat.id, message, at }];
  }
  const content = contentOf(data, chat.id, about.nameOf);
  return content ? [messageEvent(content, place, answeredBy(data, author, about))] : [];
}

function editEvents(target: number | undefined, data: ReadMessage, place: Place, about: Directory): InboundEvent[] {
  const { chat, author, at } = place;
  const content = contentOf(data, chat.id, about.nameOf);
  if (target === undefined || !content) return [];
  const message = about.firstVersion(messageId(author.id, target));
  return [{ kind: 'edit', chat: chat.id, message, text: content.text, at, sender: author.id }];
}

/** The versions that an edit is between: later changes may name either. */
export function revisionIn({ envelope }: Received, about: Directory): { of: string; is: string } | undefined {
  const sent = readSent(envelope.syncMessage?.sentMessage);
  const edit = envelope.editMessage ?? sent?.editMessage;
  const author = personId({ uuid: envelope.sourceUuid, number: envelope.sourceNumber }, about);
  const at = (edit && readMessage(edit.dataMessage)?.timestamp) ?? envelope.timestamp;
  if (edit?.targetSentTimestamp === undefined || author === undefined || at === undefined) return undefined;
  return { of: messageId(author, edit.targetSentTimestamp), is: messageId(author, at) };
}

/** A message of ours that we have just sent. */
export function ownMessage(
  { chat, text, replyTo }: { chat: InboundChat; text: string; replyTo?: string | undefined },
  at: number,
  about: Directory,
): Extract<InboundEvent, { kind: 'message' }> {
  const author = selfSender(about);
  return messageEvent({ text, contentType: 'text' }, { chat, author, isOwn: true, at }, replyTo);
}

function messageEvent(
  { text, contentType, attachments }: SignalContent,
  { chat, author, isOwn, at }: Place,
  replyTo?: string,
): { kind: 'message'; message: InboundMessage } {
  return {
    kind: 'message',
    message: {
      chat,
      id: messageId(author.id, at),
      sender: author,
      ...(isOwn ? { isOwn } : {}),
      text,
      contentType,
      at,
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(attachments ? { attachments } : {}),
    },
  };
}

function answeredBy({ quote, pollTerminate, pinMessage, unpinMessage }: ReadMessage, author: Sender, about: Directory) {
  if (quote) {
    const { authorUuid, authorNumber, id } = quote;
    return targetOf({ targetAuthorUuid: authorUuid, targetAuthorNumber: authorNumber, targetSentTimestamp: id }, about);
  }
  if (pollTerminate?.targetSentTimestamp !== undefined) return messageId(author.id, pollTerminate.targetSentTimestamp);
  const pinned = pinMessage ?? unpinMessage;
  return pinned && targetOf(pinned, about);
}

function targetOf(
  {
    targetAuthorUuid: uuid,
    targetAuthorNumber: number,
    targetSentTimestamp: timestamp,
  }: NonNullable<DataMessage['adminDelete']>,
  about: Directory,
): string | undefined {
  const author = personId({ uuid, number }, about);
  return author === undefined || timestamp === undefined ? undefined : about.firstVersion(messageId(author, timestamp));
}

function groupOf(message: DataMessage | undefined, about: Directory): InboundChat | undefined {
  const { groupId: id, groupName } = message?.groupInfo ?? {};
  if (id === undefined) return undefined;
  const name = groupName || about.groupName(id);
  return { id, type: 'group', ...(name ? { name } : {}) };
}

/** The chat with a person. */
export function directChat(person: Address, about: Directory, name?: string): InboundChat {
  const id = personId(person, about) ?? '';
  if (isSelf(person, about)) return { id, type: 'direct', name: NOTE_TO_SELF };
  return { id, type: 'direct', name: about.nameOf(person.uuid, person.number) ?? (name || (person.number ?? id)) };
}

/** UUIDs are the identity; a number is used where nothing else is known. */
function personId({ uuid, number }: Address, about: Directory): string | undefined {
  if (isSelf({ uuid, number }, about)) return selfSender(about).id;
  return uuid ?? (number === undefined ? undefined : (about.uuidOf(number) ?? number));
}

function isSelf({ uuid, number }: Address, { self }: Directory): boolean {
  return uuid === undefined || self.uuid === undefined ? number === self.number : uuid === self.uuid;
}

export function selfSender({ self, nameOf }: Directory): Sender {
  const { uuid, number } = self;
  return { id: uuid ?? number, name: nameOf(uuid, number) ?? number };
}

function nameIn({ sourceName, sourceNumber, sourceUuid }: Envelope, id: string, about: Directory): string {
  return about.nameOf(sourceUuid, sourceNumber) ?? (sourceName || (sourceNumber ?? id));
}

function callText(type: string | undefined): SignalContent {
  return system(type === 'VIDEO_CALL' ? 'Started a video call.' : 'Started a call.');
}
