import { type CalendarDate, dateIn } from './calendar-date.ts';
import { type Stamp, stampOf, toStamp } from './log-stamp.ts';
import { readEquals, readServer, serverLine } from './server-line.ts';

/** A parsed line of a log. */
export type LogLine =
  /** Without a stamp it has the time of the line before. */
  | { kind: 'said'; stamp?: Stamp; sender: string; text: string; channel?: string }
  /** An event worth keeping, such as a changed topic. */
  | { kind: 'system'; stamp?: Stamp; sender?: string; text: string; channel?: string }
  /** A join or part. */
  | { kind: 'presence'; stamp?: Stamp; channel?: string }
  /** The beginning of a day or of the log. */
  | { kind: 'day'; date: CalendarDate; clock?: number }
  | { kind: 'chat'; name: string }
  | { kind: 'blank' }
  /** `isTimed`: it begins with a time, as lines of logs do. */
  | { kind: 'unknown'; isTimed?: true };

const COLOURS = /\x03(\d{1,2}(,\d{1,2})?)?|\x04([0-9a-f]{6}(,[0-9a-f]{6})?)?/gi;
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/g;

const SPEECH = /^\s{0,2}<[ @+%&~!*]{0,2}([^<>\s][^<>\t]{0,63}?)>(?:[ \t](.*))?$/s;
const COLUMNS = /^([^\t]{0,66})\t(.*)$/s;
const SERVER = /^\s{0,2}(-!-|\*{3,4}|={3}|-{3}|-->|<--|=-=|--)\s+(.*)$/s;
const ACTION = /^\s{0,2}\*\s+([^\s*]\S{0,63})(?:\s(.*))?$/s;
const EGGDROP_ACTION = /^Action: (\S{1,64}) (.*)$/s;
const EGGDROP_NICK = /^Nick change: (\S{1,64}) -> (\S{1,64})$/;
const EGGDROP_SERVER =
  /^(?:\S+ \(\S+@\S+\) |#\S+: mode change |Topic changed on |\S+ kicked from #|\S+ got (?:lost in the )?net-?split)/i;
const NOTICE = /^\s{0,2}-([^\s():<>-][^\s():<>]{0,63}?)(?:[:(]\S{0,200}?)?-\s(.*)$/s;
const COLON = /^([^\s:<>*([-][^\s:<>]{0,63}):\s(.*)$/s;

/** Textual. */
const BULLET_ACTION = /^•\s(\S{1,64}?):?\s(.*)$/s;
/** Konversation writes what kind of line it is before a tab. */
const KIND_OF_LINE =
  /^(?:Away|Ban|Created|CTCP|DCC|Error|Info|Invite|Join|Kick|Kill|Mode|Names|Nick|Notice|Notify|Part|Ping|Quit|Topic|URL|Users|Welcome|Whois)\t(.*)$/is;

const DAY_MARK = /^(?:---|\*{4}|Session (?:Start|Time|Close)|IRC log started)/i;
/** These two also mark what somebody says or does, which may contain a date. */
const DAY_MARK_OF_SERVER =
  /^(?:={3}|\*{3})\s+(?:(?:log(?:ging)?|day|date|begin(?:ning)?|end(?:ing)?|session|start(?:ed)?|on|new day|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6})\b|\d)/i;
/** Konversation writes the date into the next line. */
const LOG_HEADING = /^\*{3} Logfile started$/;
const TIMED = /^.{0,40}?\d:[0-5]\d(?!\d)/s;
/** A server says when a topic was set. */
const OTHER_DATE = /\b(?:topic|set by|created)\b/i;
const UNSTAMPED_SERVER = /^\s{0,2}(-!-|\*{3}|={3}|-->|<--)\s+(.*)$/s;

/** Parses a line of any of the common programs, without its line break. */
export function readLogLine(raw: string): LogLine {
  const line = raw.replace(COLOURS, '').replace(CONTROLS, '');
  if (line.trim() === '' || LOG_HEADING.test(line)) return { kind: 'blank' };
  const read = readStamped(line);
  return read.kind === 'unknown' && TIMED.test(line) ? { kind: 'unknown', isTimed: true } : read;
}

function readStamped(line: string): LogLine {
  const found = stampOf(line);
  if (!found) return markOf(line);
  const body = line.slice(found.length).replace(/^[ ]/, '');
  return readBody(body, found.stamp, line.charAt(found.length) === '\t');
}

function readBody(body: string, stamp: Stamp, hasColumns: boolean): LogLine {
  if (hasColumns) return readColumns(body.slice(1), stamp);
  const [, speaker, speech = ''] = SPEECH.exec(body) ?? [];
  if (speaker !== undefined) return { kind: 'said', stamp, sender: speaker, text: speech };
  if (/^\s{0,2}(?:\*|-->|<--|--)\t/.test(body)) return readColumns(body, stamp);
  const [, mark, server] = SERVER.exec(body) ?? [];
  if (server !== undefined && mark === '===') return readEquals(server, stamp);
  if (server !== undefined) return mark === '---' && dateMark(server) ? dayOf(server) : readServer(server, stamp);
  return readAction(body, stamp) ?? readOther(body, stamp);
}

/** Programs that separate nickname and text by a tab. */
function readColumns(body: string, stamp: Stamp): LogLine {
  const [, column = '', text = ''] = COLUMNS.exec(body) ?? [];
  const who = column.trim().replace(/^[@+%&~!]/, '');
  if (who === '*') return readAction(`* ${text}`, stamp) ?? { kind: 'unknown' };
  if (['-->', '<--', '--', '', '=!='].includes(who)) return readServer(text, stamp);
  const bare = who.replace(/^<[@+%&~!]?(.*)>$/, '$1');
  return /\s/.test(bare) ? { kind: 'unknown' } : { kind: 'said', stamp, sender: bare, text };
}

function readAction(body: string, stamp: Stamp): LogLine | undefined {
  const [whole, sender, text = ''] = ACTION.exec(body) ?? EGGDROP_ACTION.exec(body) ?? [];
  if (whole === undefined || sender === undefined) return undefined;
  // Some programs write actions and server messages in the same format.
  const said = whole.replace(/^\s*\*\s+/, '');
  return serverLine(said, stamp) ?? { kind: 'said', stamp, sender, text: `/me ${text}` };
}

function readOther(body: string, stamp: Stamp): LogLine {
  const [, before, after] = EGGDROP_NICK.exec(body) ?? [];
  if (before !== undefined)
    return { kind: 'system', stamp, sender: before, text: `${before} is now known as ${after}` };
  if (EGGDROP_SERVER.test(body)) return readServer(body, stamp);
  const [, ofKind] = KIND_OF_LINE.exec(body) ?? [];
  if (ofKind !== undefined) return noticeIn(ofKind, stamp) ?? readServer(ofKind, stamp);
  const [, doer, deed = ''] = BULLET_ACTION.exec(body) ?? [];
  if (doer !== undefined) return { kind: 'said', stamp, sender: doer, text: `/me ${deed}` };
  const [, sender, text = ''] = COLON.exec(body) ?? [];
  if (sender !== undefined) return { kind: 'said', stamp, sender, text };
  return noticeIn(body, stamp) ?? serverLine(body, stamp) ?? { kind: 'unknown' };
}

function noticeIn(body: string, stamp: Stamp): LogLine | undefined {
  const [, sender, text = ''] = NOTICE.exec(body) ?? [];
  return sender === undefined ? undefined : { kind: 'said', stamp, sender, text };
}

/** A line without a timestamp: the beginning of a day, a log or a session, or what the server said. */
function markOf(line: string): LogLine {
  const [, name] = /^Session Ident: (\S{1,200})/i.exec(line) ?? [];
  if (name !== undefined) return { kind: 'chat', name };
  if (isDayMark(line)) return dayOf(line);
  const [, mark, server = ''] = UNSTAMPED_SERVER.exec(line) ?? [];
  if (mark === '===') return readEquals(server);
  return (mark === undefined ? undefined : serverLine(server)) ?? { kind: 'unknown' };
}

function isDayMark(line: string): boolean {
  if (!DAY_MARK.test(line) && !DAY_MARK_OF_SERVER.test(line)) return false;
  return !OTHER_DATE.test(line) && dateIn(line) !== undefined;
}

function dateMark(text: string): boolean {
  return text.length < 60 && dateIn(text) !== undefined;
}

function dayOf(text: string): LogLine {
  const date = dateIn(text);
  if (!date) return { kind: 'unknown' };
  const [, hour, minute = '', second, half] = /\b(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([ap])\.?m\b)?/i.exec(text) ?? [];
  const stamp = hour === undefined ? undefined : toStamp({ hour, minute, second, half, zone: undefined });
  return {
    kind: 'day',
    date,
    ...(stamp === undefined ? {} : { clock: (stamp.hour * 60 + stamp.minute) * 60 + stamp.second }),
  };
}
