import { isUtf8 } from 'node:buffer';
import type { InboundChat, InboundMessage } from '../../../domain/chat.ts';
import { detached } from '../../../lib/detached.ts';
import type { ToInstant } from '../../../lib/local-time.ts';
import type { EntryLine } from '../entry-lines.ts';
import type { ImportOptions, SkipReason } from '../importer.ts';
import { createMessageIds } from '../message-ids.ts';
import { dateInName } from './calendar-date.ts';
import { createLogClock } from './log-clock.ts';
import { type LogLine, readLogLine } from './log-line.ts';
import { chatOf, isChannel, toChat } from './log-location.ts';

export type Read =
  | { kind: 'message'; message: InboundMessage /** The log has no time zone. */; isLocalTime: boolean }
  | { kind: 'skipped'; why: SkipReason }
  /** Understood, but nothing to import. */
  | { kind: 'nothing' };

export interface LogReader {
  read(line: EntryLine): Read;
  /** The chat as known at the end: the number of senders decides its type. */
  chat(): InboundChat;
}

/** Maximum number of senders to count, to distinguish a direct conversation from a group. */
const MAX_SPEAKERS = 1_000;
const LATIN = new TextDecoder('windows-1252');

/** Reads one log from its first line. */
export function createLogReader(
  file: { name: string; above: string },
  toInstant: ToInstant,
  { chat: wanted, me }: ImportOptions,
): LogReader {
  const clock = createLogClock(toInstant, dateInName(file.name));
  const idOf = createMessageIds();
  const speakers = new Set<string>();
  let chat = wanted === undefined ? chatOf(file.name, file.above) : toChat(wanted, '');

  function toMessage(line: Extract<LogLine, { kind: 'said' | 'system' }>): Read {
    const time = clock.timeOf(line.stamp);
    if (!time) return { kind: 'skipped', why: 'no_time' };
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
    read({ bytes, isTooLong }) {
      if (isTooLong) return { kind: 'skipped', why: 'too_large' };
      const line = readLogLine(isUtf8(bytes) ? bytes.toString('utf8') : LATIN.decode(bytes));
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
          if (wanted === undefined && !isChannel(chat.name ?? '')) chat = toChat(line.name, '');
          return { kind: 'nothing' };
        case 'blank':
          return { kind: 'nothing' };
      }
    },
    chat: () => ({ type: speakers.size > 2 ? 'group' : 'direct', ...chat }),
  };
}
