import { createHash } from 'node:crypto';
import type { InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import type { Fold } from './casemapping.ts';
import { plainText } from './formatting.ts';
import type { ParsedLine } from './line.ts';

/** What must be known of a connection to understand its lines. */
export interface ChannelContext {
  nick: string;
  account?: string;
  fold: Fold;
  /** Characters that channels' names begin with, and those that stand before them: `@#channel` is for its operators. */
  channelTypes: string;
  statusPrefixes: string;
  now: number;
  /** How many are in a channel, where that is known. */
  participants?(channel: string): number | undefined;
  /** Tells apart what is the same in every respect: how often this has been seen. */
  nth(key: string): number;
}

/** Asked by people's programs, of programs; nobody says anything by it. */
const SMALL_TALK = /^(VERSION|PING|TIME|CLIENTINFO|USERINFO|FINGER|SOURCE|ERRMSG)\b/i;
const ACTION = /^ACTION(?: |$)/i;

/** What a line says, in our words; nothing when it says nothing that is kept. */
export function toEvent(line: ParsedLine, scope: ChannelContext): InboundEvent | undefined {
  if (line.fromServer || line.nick === '') return undefined;
  switch (line.command) {
    case 'PRIVMSG':
    case 'NOTICE':
      return toMessage(line, scope);
    case 'TAGMSG':
      return toReaction(line, scope);
    case 'REDACT':
      return toDeletion(line, scope);
    case 'TOPIC':
      return toTopic(line, scope);
    default:
      return undefined;
  }
}

/** The chat a line belongs to: a channel, or the other one of the two who talk. */
export function chatOf(
  line: ParsedLine,
  scope: ChannelContext,
): { id: string; name: string; type: 'channel' | 'direct' } | undefined {
  const target = withoutStatus(line.params[0] ?? '', scope);
  if (target === '' || target === '*') return undefined;
  if (isChannel(target, scope)) return { id: scope.fold(target), name: target, type: 'channel' };
  const other = isOwn(line, scope) ? target : line.nick;
  return { id: scope.fold(other), name: other, type: 'direct' };
}

export function isChannel(name: string, { channelTypes }: Pick<ChannelContext, 'channelTypes'>): boolean {
  return name !== '' && channelTypes.includes(name.charAt(0));
}

export function isOwn(line: ParsedLine, { nick, account, fold }: ChannelContext): boolean {
  if (fold(line.nick) === fold(nick)) return true;
  return account !== undefined && line.tags.account !== undefined && fold(line.tags.account) === fold(account);
}

function toMessage(line: ParsedLine, scope: ChannelContext): InboundEvent | undefined {
  const said = saidIn(line);
  if (!said) return undefined;
  return messageEvent(line, scope, said);
}

/** What somebody says: plain, as an action (`/me waves`), or in a way that we have no words for. */
function saidIn({ command, params }: ParsedLine): Pick<InboundMessage, 'text' | 'contentType'> | undefined {
  const raw = params[1] ?? '';
  if (!raw.startsWith('\x01')) return { text: plainText(raw) };
  const asked = plainText(raw);
  if (command === 'NOTICE' || SMALL_TALK.test(asked) || asked === '') return undefined;
  if (ACTION.test(asked)) return { text: `/me ${asked.slice('ACTION '.length)}` };
  return { text: asked, contentType: 'unknown' };
}

function toTopic(line: ParsedLine, scope: ChannelContext): InboundEvent | undefined {
  if (!isChannel(line.params[0] ?? '', scope)) return undefined;
  const topic = plainText(line.params[1] ?? '');
  const text = topic === '' ? 'removed the topic' : `changed the topic to: ${topic}`;
  return messageEvent(line, scope, { text, contentType: 'system' });
}

function messageEvent(
  line: ParsedLine,
  scope: ChannelContext,
  said: Pick<InboundMessage, 'text' | 'contentType'>,
): InboundEvent | undefined {
  const chat = chatOf(line, scope);
  if (!chat) return undefined;
  const count = chat.type === 'channel' ? scope.participants?.(chat.id) : 2;
  const replyTo = repliedTo(line);
  return {
    kind: 'message',
    message: {
      chat: { ...chat, ...(count === undefined ? {} : { participantCount: count }) },
      id: idOf(line, chat.id, scope),
      sender: senderOf(line, scope),
      ...(isOwn(line, scope) ? { isOwn: true } : {}),
      ...said,
      at: timeOf(line, scope),
      ...(replyTo === undefined ? {} : { replyTo }),
    },
  };
}

function toReaction(line: ParsedLine, scope: ChannelContext): InboundEvent | undefined {
  const chat = chatOf(line, scope);
  const message = repliedTo(line);
  const given = line.tags['+draft/react'] || line.tags['+react'];
  const taken = line.tags['+draft/unreact'] || line.tags['+unreact'];
  const sign = plainText(given || taken || '');
  if (!chat || message === undefined || sign === '') return undefined;
  return {
    kind: 'reaction',
    chat: chat.id,
    message,
    sender: senderOf(line, scope),
    sign,
    ...(given ? {} : { removed: true }),
    at: timeOf(line, scope),
  };
}

/** The server has looked whether they may: operators delete what others wrote. */
function toDeletion(line: ParsedLine, scope: ChannelContext): InboundEvent | undefined {
  const chat = chatOf(line, scope);
  const message = line.params[1];
  if (!chat || !message) return undefined;
  return { kind: 'delete', chat: chat.id, message, at: timeOf(line, scope) };
}

function senderOf({ nick, tags }: ParsedLine, { fold }: ChannelContext): Sender {
  return { id: fold(tags.account || nick), name: nick };
}

function repliedTo({ tags }: ParsedLine): string | undefined {
  return tags['+draft/reply'] || tags['+reply'] || undefined;
}

/**
 * The server's id. Where it has none, one is made of all that is known, so that what a bouncer repeats with its time is
 * recognised.
 */
function idOf(line: ParsedLine, chat: string, scope: ChannelContext): string {
  if (line.tags.msgid) return line.tags.msgid;
  const known = JSON.stringify([chat, timeOf(line, scope), scope.fold(line.nick), line.command, line.params[1] ?? '']);
  const hash = createHash('sha256').update(known).digest('base64url').slice(0, 22);
  const nth = scope.nth(hash);
  return nth === 0 ? `made-${hash}` : `made-${hash}-${nth}`;
}

/** By the server's clock; a time that is none, or lies in the future by more than a day, is not believed. */
export function timeOf({ tags }: ParsedLine, { now }: Pick<ChannelContext, 'now'>): number {
  const at = /^\d{4}-\d\d-\d\dT/.test(tags.time ?? '') ? Date.parse(tags.time ?? '') : Number.NaN;
  return at >= 0 && at < now + 24 * 60 * 60 * 1000 ? at : now;
}

function withoutStatus(target: string, scope: ChannelContext): string {
  if (isChannel(target, scope)) return target;
  let start = 0;
  while (start < target.length && scope.statusPrefixes.includes(target.charAt(start))) start++;
  return isChannel(target.slice(start), scope) ? target.slice(start) : target;
}
