import type { InboundChat, InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import { contentOf, contextOf, type ParsedContent, unwrapped } from './content.ts';
import { type Fields, fieldsIn, listIn, textIn, timeOfMilliseconds, timeOfSeconds } from './fields.ts';
import { parseJid } from './jids.ts';
import { systemText } from './system-text.ts';

/** What is needed to interpret messages. */
export interface Surroundings {
  /** Our own id. */
  me: string;
  /** The one id of a person or chat. */
  idOf(jid: string | null | undefined): string | undefined;
  nameOf(id: string): string | undefined;
  /** Whether this person may delete messages of others in the group. */
  isAdmin(group: string, person: string): boolean;
}

interface Origin {
  chat: string;
  id: string;
  sender: string;
  isOwn: boolean;
  at: number;
}

const LONGEST_ID = 200;
const LONGEST_SIGN = 40;
const MOST_REACTIONS = 1_000;
const REVOKED = 1;
const PROTOCOL = { revoke: 0, edit: 14 };

/** The events of a message as the library decodes it, live or of the history. None if there is nothing to store. */
export function toEvents(message: Fields, at: Surroundings): InboundEvent[] {
  const origin = originOf(message, at);
  if (!origin) return [];
  const stub = typeof message.messageStubType === 'number' ? message.messageStubType : 0;
  if (stub === REVOKED) return [deletion(origin, origin.id)];
  const inner = unwrapped(fieldsIn(message.message) ?? {});
  const protocol = fieldsIn(inner.protocolMessage);
  if (protocol) return changes(protocol, origin, at);
  const reaction = fieldsIn(inner.reactionMessage);
  if (reaction) return reactionTo(fieldsIn(reaction.key), reaction, origin, at);
  const content = stub > REVOKED ? systemContent(stub, message, origin, at) : saidIn(message, inner);
  if (!content) return [];
  return [
    { kind: 'message', message: { ...inboundMessage(origin, content, at), ...repliedTo(inner) } },
    ...storedReactions(message, origin, at),
  ];
}

/** What can be opened once is delivered only to phones. */
function saidIn(message: Fields, inner: Fields): ParsedContent | undefined {
  if (fieldsIn(message.message)) return contentOf(inner);
  const isViewOnce = fieldsIn(message.key)?.isViewOnce === true;
  return isViewOnce ? { text: '[A message to view once, on the phone]', contentType: 'unknown' } : undefined;
}

function systemContent(stub: number, message: Fields, origin: Origin, at: Surroundings): ParsedContent | undefined {
  const named = (text: string) => {
    const id = parseJid(text) ? at.idOf(text) : undefined;
    return id === undefined ? text : (at.nameOf(id) ?? id);
  };
  const subjects = listIn(message.messageStubParameters, 10).map((value) => named(jidOrText(value)));
  const text = systemText(stub, at.nameOf(origin.sender) ?? origin.sender, subjects);
  return text === undefined ? undefined : { text, contentType: 'system' };
}

/** Newer notifications have people as JSON. */
function jidOrText(value: unknown): string {
  const text = textIn(value, 500) ?? '';
  return /"id":"([^"]+)"/.exec(text)?.[1] ?? text;
}

function inboundMessage(
  { chat, id, sender, isOwn, at: when }: Origin,
  content: ParsedContent,
  at: Surroundings,
): InboundMessage {
  return {
    chat: chatOf(chat, at),
    id,
    sender: senderOf(sender, at),
    ...(isOwn ? { isOwn: true } : {}),
    ...content,
    at: when,
  };
}

export function chatOf(id: string, at: Pick<Surroundings, 'nameOf'>): InboundChat {
  const server = parseJid(id)?.server;
  if (server === 'g.us') return { id, type: 'group' };
  if (server === 'newsletter') return { id, type: 'channel' };
  const name = at.nameOf(id);
  return { id, type: 'direct', ...(name === undefined ? {} : { name }) };
}

/** An unknown sender gets the id as name, which does not replace a known name. */
function senderOf(id: string, at: Surroundings): Sender {
  return { id, name: at.nameOf(id) ?? id };
}

function repliedTo(inner: Fields): { replyTo?: string } {
  const id = textIn(contextOf(inner)?.stanzaId, LONGEST_ID);
  return id === undefined ? {} : { replyTo: id };
}

function originOf(message: Fields, at: Surroundings): Origin | undefined {
  const key = fieldsIn(message.key) ?? {};
  const id = textIn(key.id, LONGEST_ID);
  const isOwn = key.fromMe === true;
  const participant = textIn(key.participant) ?? textIn(message.participant);
  const chat = chatIdOf(textIn(key.remoteJid), participant, isOwn, at);
  if (id === undefined || chat === undefined) return undefined;
  const sender = isOwn ? at.me : (at.idOf(participant) ?? chat);
  return { chat, id, sender, isOwn, at: timeOfSeconds(message.messageTimestamp) };
}

/** A message to a broadcast list is a direct message for those who receive it. Status updates are not stored. */
function chatIdOf(
  chat: string | undefined,
  participant: string | undefined,
  isOwn: boolean,
  at: Surroundings,
): string | undefined {
  if (chat === 'status@broadcast') return undefined;
  return at.idOf(chat?.endsWith('@broadcast') && !isOwn ? participant : chat);
}

function changes(protocol: Fields, origin: Origin, at: Surroundings): InboundEvent[] {
  const key = fieldsIn(protocol.key);
  const target = textIn(key?.id, LONGEST_ID);
  if (target === undefined) return [];
  // The type 0 is the default, and may be missing.
  const type = protocol.type ?? PROTOCOL.revoke;
  if (type === PROTOCOL.revoke) {
    const byAdmin = !origin.isOwn && at.isAdmin(origin.chat, origin.sender);
    return [deletion(origin, target, origin.isOwn || byAdmin ? undefined : origin.sender)];
  }
  if (type !== PROTOCOL.edit) return [];
  const text = contentOf(unwrapped(fieldsIn(protocol.editedMessage) ?? {}))?.text;
  if (text === undefined) return [];
  const when = timeOfMilliseconds(protocol.timestampMs) || origin.at;
  return [{ kind: 'edit', chat: origin.chat, message: target, text, at: when, sender: origin.sender }];
}

function deletion({ chat, at }: Origin, message: string, sender?: string): InboundEvent {
  return { kind: 'delete', chat, message, at, ...(sender === undefined ? {} : { sender }) };
}

/** A person has one reaction to a message; an empty one removes it. */
function reactionTo(key: Fields | undefined, reaction: Fields, origin: Origin, at: Surroundings): InboundEvent[] {
  const message = textIn(key?.id, LONGEST_ID);
  if (message === undefined) return [];
  const sign = textIn(reaction.text, LONGEST_SIGN);
  return [
    {
      kind: 'reactions',
      chat: origin.chat,
      message,
      sender: senderOf(origin.sender, at),
      signs: sign === undefined ? [] : [sign],
      at: timeOfMilliseconds(reaction.senderTimestampMs) || origin.at,
    },
  ];
}

/** Messages of the history come with their reactions. */
function storedReactions(message: Fields, origin: Origin, at: Surroundings): InboundEvent[] {
  return listIn(message.reactions, MOST_REACTIONS).flatMap((value) => {
    const reaction = fieldsIn(value) ?? {};
    const key = fieldsIn(reaction.key) ?? {};
    const isOwn = key.fromMe === true;
    const sender = isOwn ? at.me : at.idOf(textIn(key.participant) ?? textIn(key.remoteJid));
    return sender === undefined ? [] : reactionTo({ id: origin.id }, reaction, { ...origin, sender, isOwn }, at);
  });
}
