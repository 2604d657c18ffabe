import type { InboundChat, InboundMessage } from '../../../domain/chat.ts';
import { detached } from '../../../lib/detached.ts';
import type { ToInstant } from '../../../lib/local-time.ts';
import type { ImportOptions, SkipReason } from '../importer.ts';
import { createMessageIds } from '../message-ids.ts';
import { createLogClock, type LogClockSettings } from './log-clock.ts';
import type { LogLine } from './log-line.ts';
import { isChannel, toChat } from './log-location.ts';

export type Read =
  | { kind: 'message'; message: InboundMessage /** The log has no time zone. */; isLocalTime: boolean }
  | { kind: 'skipped'; why: SkipReason }
  /** Understood, but nothing to import. */
  | { kind: 'nothing' };

export interface LogReader {
  read(line: LogLine): Read;
  /** The chat as known at the end: the number of senders decides its type. Undefined if nothing was said in it. */
  chat(): InboundChat | undefined;
}

/** Maximum number of senders to count, to distinguish a direct conversation from a group. */
const MAX_SPEAKERS = 1_000;

/** Makes messages of the lines of one log, from its first line. */
export function createLogReader(
  log: LogClockSettings & { chat: InboundChat; network: string },
  toInstant: ToInstant,
  { chat: wanted, me }: ImportOptions,
): LogReader {
  const clock = createLogClock(toInstant, log);
  const idOf = createMessageIds();
  const speakers = new Set<string>();
  let chat = wanted === undefined ? log.chat : toChat(wanted, '');

  let isUsed = false;

  /** A log may hold several channels, if its format names the channel of each line. */
  function chatOf(line: Extract<LogLine, { kind: 'said' | 'system' }>): InboundChat {
    if (line.kind === 'system' || line.channel === undefined || wanted !== undefined) {
      isUsed = true;
      return chat;
    }
    return toChat(line.channel, log.network);
  }

  function toMessage(line: Extract<LogLine, { kind: 'said' | 'system' }>): Read {
    const time = clock.timeOf(line.stamp);
    if (!time) return { kind: 'skipped', why: 'no_time' };
    const chat = chatOf(line);
    const name = line.sender ?? chat.name ?? chat.id;
    const sender = { id: name.toLowerCase(), name };
    if (line.kind === 'said' && speakers.size < MAX_SPEAKERS) speakers.add(detached(sender.id));
    const id = idOf({ chat: chat.id, time: time.written, sender: sender.id, text: line.text });
    const message: InboundMessage = {
      chat,
      id,
      sender,
      ...(me?.toLowerCase() === sender.id ? { isOwn: true } : {}),
      text: line.text,
      contentType: line.kind === 'said' ? 'text' : 'system',
      at: time.at,
    };
    return { kind: 'message', message, isLocalTime: time.isLocal };
  }

  return {
    read(line) {
      switch (line.kind) {
        case 'said':
        case 'system':
          return toMessage(line);
        case 'presence':
          return { kind: 'skipped', why: 'presence' };
        case 'unknown':
          return { kind: 'skipped', why: 'malformed' };
        case 'day':
          clock.day(line.date, line.clock);
          return { kind: 'nothing' };
        case 'chat':
          if (wanted === undefined && !isChannel(chat.name ?? '')) chat = toChat(line.name, log.network);
          return { kind: 'nothing' };
        case 'blank':
          return { kind: 'nothing' };
      }
    },
    chat: () => (isUsed ? { type: speakers.size > 2 ? 'group' : 'direct', ...chat } : undefined),
  };
}
