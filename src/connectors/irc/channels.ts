import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Fold } from './casemapping.ts';
import { isTarget, type ParsedLine } from './line.ts';
import { channelEntry } from './settings.ts';

interface ChannelParts {
  /** As configured: `#x`, or `#x key`. */
  wanted: readonly string[];
  nick(): string;
  fold: Fold;
  /** Prefixes of nicknames with a rank in the channel. */
  ranks: string;
  rejoinMs: number;
  /** How long the server may take to answer a join. */
  answerMs: number;
  clock: Clock;
  log: Log;
  join(channel: string, key: string | undefined): void;
  /** We have joined. */
  onJoined(channel: string): void;
  /** We are not in it; joining is retried later. */
  onRefused(): void;
  /** We have left, as this line says. */
  onLeft(channel: string, line: ParsedLine): void;
  /** Members, as the server writes them. */
  onNames(nicks: readonly string[]): void;
  /** The list of members is complete. */
  onListed(channel: string, count: number): void;
}

interface Wanted {
  name: string;
  key: string | undefined;
  failures: number;
  /** Why it is not joined. */
  reason?: string | undefined;
  joinedAt?: number;
  timer?: NodeJS.Timeout;
  unanswered?: NodeJS.Timeout;
}

/** Replies that refuse a join. */
const NOT_JOINED: ReadonlyMap<string, string> = new Map([
  ['403', 'there is no such channel'],
  ['405', 'the server lets this user join no more channels'],
  ['437', 'the channel is not available at the moment'],
  ['470', 'the server sends this user to another channel instead'],
  ['471', 'the channel is full'],
  ['473', 'the channel is open only to those who are invited'],
  ['474', 'this user is banned from the channel'],
  ['475', 'the key is wrong: write it after the name, `"#x its-key"`'],
  ['476', 'this is not the name of a channel'],
  ['477', 'the channel is open only to registered nicknames: set `account` and `password`'],
  ['480', 'the channel does not let this user in'],
  ['489', 'the channel is open only to connections with TLS'],
  ['520', 'the channel is open only to operators of the server'],
]);
/** For replies that only some servers know. */
const REFUSED = 'the server does not let this user in';
const MAX_MS = 10 * 60_000;
const GOOD_STAY_MS = 10 * 60_000;

function answered(entry: Wanted): void {
  clearTimeout(entry.unanswered);
  delete entry.unanswered;
}

/** Joins the configured channels, rejoins them after a kick, and tracks their members. */
export function createChannels(parts: ChannelParts) {
  const { fold } = parts;
  const wanted = new Map<string, Wanted>();
  const members = new Map<string, Set<string>>();
  const invalid: string[] = [];

  function start(): void {
    for (const entry of parts.wanted) {
      const { name, key } = channelEntry(entry);
      if (!isTarget(name)) {
        parts.log.warn({ channel: name }, 'invalid channel name');
        invalid.push(name);
        continue;
      }
      wanted.set(fold(name), { name, key, failures: 0 });
    }
    for (const { name, key } of wanted.values()) parts.join(name, key);
  }

  function joinLater(channel: string, reason: string): void {
    const entry = wanted.get(fold(channel));
    if (!entry) return;
    answered(entry);
    entry.reason = reason;
    parts.onRefused();
    if (entry.timer) return;
    if (entry.joinedAt !== undefined && parts.clock.now() - entry.joinedAt >= GOOD_STAY_MS) entry.failures = 0;
    entry.failures++;
    const wait = backoffDelay(entry.failures, { firstMs: parts.rejoinMs, longestMs: MAX_MS });
    parts.log.warn({ channel: entry.name, wait_ms: wait }, 'not in the channel; joining is retried later');
    entry.timer = setTimeout(() => {
      delete entry.timer;
      parts.join(entry.name, entry.key);
    }, wait);
  }

  function joined(channel: string): void {
    const entry = wanted.get(fold(channel));
    if (entry) {
      answered(entry);
      Object.assign(entry, { joinedAt: parts.clock.now(), reason: undefined });
    }
    members.set(fold(channel), new Set());
    parts.onJoined(channel);
  }

  function isMe(nick: string): boolean {
    return fold(nick) === fold(parts.nick());
  }

  function left(nick: string, channel: string, line: ParsedLine): void {
    members.get(fold(channel))?.delete(fold(nick));
    if (!isMe(nick)) return;
    members.delete(fold(channel));
    parts.onLeft(channel, line);
  }

  function renamed(nick: string, next: string): void {
    for (const names of members.values()) if (names.delete(fold(nick))) names.add(fold(next));
  }

  function listed(channel: string, names: string): void {
    const known = members.get(fold(channel));
    const nicks = names
      .split(' ')
      .map(nickIn)
      .filter((nick) => nick !== '');
    for (const nick of nicks) known?.add(fold(nick));
    parts.onNames(nicks);
  }

  function nickIn(entry: string): string {
    let start = 0;
    while (start < entry.length && parts.ranks.includes(entry.charAt(start))) start++;
    return entry.slice(start).split('!')[0] ?? '';
  }

  function note(line: ParsedLine): void {
    const { command, nick, params } = line;
    const [first = '', second = '', third = ''] = params;
    switch (command) {
      case 'JOIN':
        if (isMe(nick)) joined(first);
        members.get(fold(first))?.add(fold(nick));
        return;
      case 'PART':
        return left(nick, first, line);
      case 'KICK':
        left(second, first, line);
        if (isMe(second)) joinLater(first, 'this user was removed from the channel');
        return;
      case 'QUIT':
        for (const names of members.values()) names.delete(fold(nick));
        return;
      case 'NICK':
        return renamed(nick, first);
      case '353':
        return listed(third, params[3] ?? '');
      case '366':
        return parts.onListed(second, count(second) ?? 0);
      default:
        return refused(second, NOT_JOINED.get(command) ?? (/^[45]\d\d$/.test(command) ? REFUSED : undefined));
    }
  }

  /** A reply that is not known as a refusal is one only while a join is not answered. */
  function refused(channel: string, reason: string | undefined): void {
    if (reason === undefined || members.has(fold(channel))) return;
    if (reason !== REFUSED || wanted.get(fold(channel))?.unanswered) joinLater(channel, reason);
  }

  function count(channel: string): number | undefined {
    return members.get(fold(channel))?.size;
  }

  return {
    start,
    note,
    /** We have asked to join. */
    asked(channel: string): void {
      const entry = wanted.get(fold(channel));
      if (!entry) return;
      answered(entry);
      entry.unanswered = setTimeout(() => {
        if (!members.has(fold(channel))) joinLater(channel, 'the server has not answered');
      }, parts.answerMs);
    },
    count,
    problems: (): string[] => [
      ...invalid.map((name) => `${name} was not joined: this is not the name of a channel.`),
      ...[...wanted.values()].flatMap(({ name, reason }) =>
        reason === undefined ? [] : [`${name} was not joined: ${reason}.`],
      ),
    ],
    /** Whether it is not known yet that we are in this channel, or why not. */
    isJoining(channel: string): boolean {
      const entry = wanted.get(fold(channel));
      return entry !== undefined && entry.reason === undefined && !members.has(fold(channel));
    },
    /** Why we are not in a configured channel. */
    reasonFor: (channel: string): string | undefined => wanted.get(fold(channel))?.reason,
    isIn: (channel: string) => members.has(fold(channel)),
    stop() {
      for (const { timer, unanswered } of wanted.values()) for (const each of [timer, unanswered]) clearTimeout(each);
    },
  };
}
