import { createHash } from 'node:crypto';
import type { InboundEvent, InboundMessage, Sender } from '../../domain/chat.ts';
import type { Fold } from './casemapping.ts';
import { plainText } from './formatting.ts';
import type { ParsedLine } from './line.ts';

/** State of a connection that is needed to interpret its lines. */
export interface ChannelContext {
  nick: string;
  account?: string;
  fold: Fold;
  /** Prefixes of channel names, and status prefixes before them: `@#channel` is for its operators. */
  channelTypes: string;
  statusPrefixes: string;
  now: number;
  /** How a name is written, if known. */
  shownName?(name: string): string | undefined;
  /** Number of members of a channel, if known. */
  participants?(channel: string): number | undefined;
  /** Distinguishes identical messages: how often this one has occurred. */
  nth(key: string): number;
}

/** Automatic CTCP requests between clients; not messages. */
const SMALL_TALK = /^(VERSION|PING|TIME|CLIENTINFO|USERINFO|FINGER|SOURCE|ERRMSG)\b/i;
const ACTION = /^ACTION(?: |$)/i;

/** Converts a line to an event; undefined if there is nothing to store. */
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

/** The chat of a line: a channel, or the other user of a direct conversation. */
export function chatOf(
  line: ParsedLine,
  scope: ChannelContext,
): { id: string; name?: string; type: 'channel' | 'direct' } | undefined {
  const target = withoutStatus(line.params[0] ?? '', scope);
  if (target === '' || target === '*') return undefined;
  if (isChannel(target, scope)) return { ...targeted(target, scope), type: 'channel' };
  if (isOwn(line, scope)) return { ...targeted(target, scope), type: 'direct' };
  return { id: scope.fold(line.nick), name: line.nick, type: 'direct' };
}

/**
 * A target is written as its sender writes it, and we write ids, which are folded: such a name replaces no known one.
 */
function targeted(target: string, { fold, shownName }: ChannelContext): { id: string; name?: string } {
  const id = fold(target);
  const name = shownName?.(target) ?? (target === id ? undefined : target);
  return { id, ...(name === undefined ? {} : { name }) };
}

export function isChannel(name: string, { channelTypes }: Pick<ChannelContext, 'channelTypes'>): boolean {
  return name !== '' && channelTypes.includes(name.charAt(0));
}

/** The server vouches for an account. A nickname is free for others while we are disconnected. */
export function isOwn({ nick: theirs, tags }: Pick<ParsedLine, 'nick' | 'tags'>, scope: ChannelContext): boolean {
  const { nick, account, fold } = scope;
  if (account !== undefined && tags.account !== undefined) return fold(tags.account) === fold(account);
  return fold(theirs) === fold(nick);
}

function toMessage(line: ParsedLine, scope: ChannelContext): InboundEvent | undefined {
  const said = saidIn(line);
  if (!said) return undefined;
  return messageEvent(line, scope, said);
}

/** A message: plain text, an action (`/me waves`), or an unknown CTCP. */
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

/** The server has checked the permission: operators may delete messages of others. */
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
 * The server's id. Without one it is computed from all known fields, so that messages replayed by a bouncer are
 * recognized.
 */
function idOf(line: ParsedLine, chat: string, scope: ChannelContext): string {
  if (line.tags.msgid) return line.tags.msgid;
  const known = JSON.stringify([chat, timeOf(line, scope), scope.fold(line.nick), line.command, line.params[1] ?? '']);
  const hash = createHash('sha256').update(known).digest('base64url').slice(0, 22);
  const nth = scope.nth(hash);
  return nth === 0 ? `made-${hash}` : `made-${hash}-${nth}`;
}

/** The server's timestamp; ignored if it is invalid or more than a day in the future. */
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
