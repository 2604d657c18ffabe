import type { LogLine } from './log-line.ts';
import type { Stamp } from './log-stamp.ts';

const NOTABLE =
  /^(?:\*\s)?(?<nick>\S{1,64})\s(?:[[(]\S*[\])]\s)?(?:is now known as|is now called|changed nick to|was kicked|has been kicked|has kicked|kicked|(?:has )?(?:changed|changes|sets|set) (?:the )?(?:channel )?topic)|^Topic changed on|^(?<old>\S{1,64}) kicked from/i;
const COMING_AND_GOING =
  /^(?:Joins|Parts|Quits|Mode|Modes): |^\S+ [[(]\S*[\])] (?:has )?(?:joined|left|quit)\b|^\S+ has (?:joined|left|quit|parted)\b|^\S+ sets? mode|^(?:Now talking (?:in|on)|Topic (?:is|for)|Set by|Users on|Disconnected|Attempting to rejoin|Rejoined channel|Retrieving|End of) /i;
/** After `===`: the topic that the channel has. */
const TOPIC = /^Topic\b[ (]/i;
/** After `===`, besides joins and parts: what begins with no nickname. */
const OF_SERVER =
  /^(?:mode\/|ServerMode\/|(?:Channel|Users?|Modes?|Names?|Server|Irssi|Netsplit|Home|URL|Signoff|Total|Current|You|Your|Cannot|No|Now|End|Welcome|Connect(?:ed|ing)|Disconnect(?:ed|ing)|Closing|Looking|Retrieving|Rejoined|Attempting|Set|Join(?:ed|s)?|Part(?:s|ed)?|Quits?)\b)/i;
const NICK = /^([\p{L}[\]\\`_^{|}][\p{L}\d[\]\\`_^{|}-]{0,63})\s+(.*)$/su;
/** Where the server names the channel of the log. Nothing here can be written by a user. */
const CHANNELS: readonly RegExp[] = [
  /^\S{1,64} (?:[[(]\S*[\])] )?(?:has )?(?:joined|left)(?: channel)? (?<name>[#&][^\s,]{1,64})/i,
  /^(?:Now talking (?:in|on)|Topic for|Rejoined channel|Joined channel|Topic changed on) (?<name>[#&][^\s,]{1,64})/i,
  /^(?:Topic \(|(?:Server)?mode\/)(?<name>[#&][^\s,)]{1,64})/i,
  /^(?<name>[#&][^\s,]{1,64}): mode change /i,
  /^\S{1,64} (?:[[(]\S*[\])] )?(?:changed the topic of|was kicked from|kicked from|has (?:changed|set) (?:the )?topic (?:for|of)) (?<name>[#&][^\s,]{1,64})/i,
];

/** What the server said, after the mark of its lines. */
export function readServer(text: string, stamp: Stamp): LogLine {
  return serverLine(text, stamp) ?? { kind: 'presence', stamp, ...channelIn(text) };
}

/** Undefined if it does not read like the words of a server. */
export function serverLine(text: string, stamp?: Stamp): LogLine | undefined {
  const found = NOTABLE.exec(text);
  const timed = stamp === undefined ? {} : { stamp };
  if (!found) return COMING_AND_GOING.test(text) ? { kind: 'presence', ...timed, ...channelIn(text) } : undefined;
  const sender = found.groups?.nick;
  return {
    kind: 'system',
    ...timed,
    text: text.trim(),
    ...(sender === undefined ? {} : { sender }),
    ...channelIn(text),
  };
}

/** `===` marks nicknames and topics that change, joins, and what somebody does: `=== ada waves`. */
export function readEquals(text: string, stamp?: Stamp): LogLine {
  const timed = stamp === undefined ? {} : { stamp };
  if (TOPIC.test(text)) return { kind: 'system', ...timed, text: text.trim(), ...channelIn(text) };
  const known = serverLine(text, stamp);
  if (known) return known;
  const [, sender, deed = ''] = OF_SERVER.test(text) ? [] : (NICK.exec(text) ?? []);
  if (sender === undefined) return { kind: 'presence', ...timed, ...channelIn(text) };
  return { kind: 'said', ...timed, sender, text: `/me ${deed}` };
}

function channelIn(text: string): { channel?: string } {
  for (const pattern of CHANNELS) {
    const name = pattern.exec(text)?.groups?.name?.replace(/[.:;)\]]+$/, '');
    if (name !== undefined && name.length > 1) return { channel: name };
  }
  return {};
}
