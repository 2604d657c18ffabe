import { type CalendarDate, dateIn, monthOf } from './calendar-date.ts';

/** Timestamp of a line, as far as it is given. */
export interface Stamp {
  /** A complete date, or only month and day. */
  date?: CalendarDate | { month: number; day: number };
  hour: number;
  minute: number;
  second: number;
  /** Offset to UTC in minutes, if given. */
  offset?: number;
}

/** A parsed line of a log. */
export type LogLine =
  | { kind: 'said'; stamp: Stamp; sender: string; text: string }
  /** An event worth keeping, such as a changed topic. */
  | { kind: 'system'; stamp: Stamp; sender?: string; text: string }
  /** A join or part. */
  | { kind: 'presence' }
  /** The beginning of a day or of the log. */
  | { kind: 'day'; date: CalendarDate; clock?: number }
  | { kind: 'chat'; name: string }
  | { kind: 'blank' }
  | { kind: 'unknown' };

const COLOURS = /\x03(\d{1,2}(,\d{1,2})?)?|\x04([0-9a-f]{6}(,[0-9a-f]{6})?)?/gi;
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/g;

const FULL =
  /^\[?(?<year>\d{4})[-/.](?<month>\d\d)[-/.](?<day>\d\d)[T ,_]+(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d{1,9})?)?(?: ?(?<zone>Z|[+-]\d\d:?\d\d))?\]?:?(?=\s|<)/;
const DATED =
  /^\[(?:\p{L}{2,12}\.?,? )?(?<name>\p{L}{3,12})\.? (?<day>\d{1,2}),? (?<year>\d{4})\] \[(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d))?\](?=\s)/u;
const YEARLESS = /^(?<name>\p{L}{3,12})\.? +(?<day>\d{1,2}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?=\s)/u;
const CLOCK =
  /^(?:[[(](?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d+)?)?(?: ?(?<half>[ap])\.?m\.?)?[\])]|(?<bareHour>\d{1,2}):(?<bareMinute>\d\d)(?::(?<bareSecond>\d\d))?(?: ?(?<bareHalf>[ap])\.?m\.?)?(?=\s))/i;

const SPEECH = /^\s{0,2}<[ @+%&~!*]{0,2}([^<>\s][^<>\t]{0,63}?)>(?:[ \t](.*))?$/s;
const COLUMNS = /^([^\t]{0,66})\t(.*)$/s;
const SERVER = /^\s{0,2}(?:-!-|\*{3,4}|={3}|-{3}|-->|<--|=-=|--)\s+(.*)$/s;
const ACTION = /^\s{0,2}\*\s+([^\s*]\S{0,63})(?:\s(.*))?$/s;
const EGGDROP_ACTION = /^Action: (\S{1,64}) (.*)$/s;
const EGGDROP_NICK = /^Nick change: (\S{1,64}) -> (\S{1,64})$/;
const EGGDROP_SERVER =
  /^(?:\S+ \(\S+@\S+\) |#\S+: mode change |Topic changed on |\S+ kicked from #|\S+ got (?:lost in the )?net-?split)/i;
const NOTICE = /^-([^\s():<>-][^\s():<>]{0,63}?)(?:[:(]\S{0,200}?)?-\s(.*)$/s;
const COLON = /^([^\s:<>*([-][^\s:<>]{0,63}):\s(.*)$/s;

const NOTABLE =
  /^(?:\*\s)?(?<nick>\S{1,64})\s(?:[[(]\S*[\])]\s)?(?:is now known as|is now called|changed nick to|was kicked|has been kicked|has kicked|kicked|(?:has )?(?:changed|changes|sets|set) (?:the )?topic)|^Topic changed on|^(?<old>\S{1,64}) kicked from/i;
const COMING_AND_GOING =
  /^(?:Joins|Parts|Quits|Mode|Modes): |^\S+ [[(]\S*[\])] (?:has )?(?:joined|left|quit)\b|^\S+ has (?:joined|left|quit|parted)\b|^\S+ sets? mode|^(?:Now talking (?:in|on)|Topic (?:is|for)|Set by|Users on|Disconnected|Attempting to rejoin|Rejoined channel|Retrieving|End of) /i;
const DAY_MARK = /^(?:---|\*{3,4}|===|Session (?:Start|Time|Close)|IRC log started)/i;

/** Parses a line of any of the common programs, without its line break. */
export function readLogLine(raw: string): LogLine {
  const line = raw.replace(COLOURS, '').replace(CONTROLS, '');
  if (line.trim() === '') return { kind: 'blank' };
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
  const [, server] = SERVER.exec(body) ?? [];
  if (server !== undefined) return /^\s*---/.test(body) && dateMark(server) ? dayOf(server) : readServer(server, stamp);
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
  if (NOTABLE.test(said)) return readServer(said, stamp);
  return COMING_AND_GOING.test(said) ? { kind: 'presence' } : { kind: 'said', stamp, sender, text: `/me ${text}` };
}

function readServer(text: string, stamp: Stamp): LogLine {
  const found = NOTABLE.exec(text);
  if (!found) return { kind: 'presence' };
  const sender = found.groups?.nick;
  return { kind: 'system', stamp, text: text.trim(), ...(sender === undefined ? {} : { sender }) };
}

function readOther(body: string, stamp: Stamp): LogLine {
  const [, before, after] = EGGDROP_NICK.exec(body) ?? [];
  if (before !== undefined)
    return { kind: 'system', stamp, sender: before, text: `${before} is now known as ${after}` };
  if (EGGDROP_SERVER.test(body)) return readServer(body, stamp);
  const [, sender, text = ''] = NOTICE.exec(body) ?? COLON.exec(body) ?? [];
  return sender === undefined ? { kind: 'unknown' } : { kind: 'said', stamp, sender, text };
}

/** A line without a timestamp: the beginning of a day, a log or a session. */
function markOf(line: string): LogLine {
  const [, name] = /^Session Ident: (\S{1,200})/i.exec(line) ?? [];
  if (name !== undefined) return { kind: 'chat', name };
  return DAY_MARK.test(line) && dateIn(line) ? dayOf(line) : { kind: 'unknown' };
}

function dateMark(text: string): boolean {
  return text.length < 60 && dateIn(text) !== undefined;
}

function dayOf(text: string): LogLine {
  const date = dateIn(text);
  if (!date) return { kind: 'unknown' };
  const [, hour, minute, second = '0'] = /\b(\d{1,2}):(\d\d)(?::(\d\d))?\b/.exec(text) ?? [];
  return {
    kind: 'day',
    date,
    ...(hour === undefined ? {} : { clock: (Number(hour) * 60 + Number(minute)) * 60 + Number(second) }),
  };
}

function stampOf(line: string): { stamp: Stamp; length: number } | undefined {
  const found = FULL.exec(line) ?? DATED.exec(line) ?? YEARLESS.exec(line) ?? CLOCK.exec(line);
  const part = found?.groups;
  if (!found || !part) return undefined;
  const [hour, half] = [Number(part.hour ?? part.bareHour), (part.half ?? part.bareHalf)?.toLowerCase()];
  const date = stampDate(part);
  if (date === 'none') return undefined;
  const stamp: Stamp = {
    hour: half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0),
    minute: Number(part.minute ?? part.bareMinute),
    second: Number(part.second ?? part.bareSecond ?? 0),
    ...(date === undefined ? {} : { date }),
    ...(part.zone === undefined ? {} : { offset: offsetOf(part.zone) }),
  };
  return stamp.hour > 23 || stamp.minute > 59 || stamp.second > 60 ? undefined : { stamp, length: found[0].length };
}

function stampDate(part: Record<string, string | undefined>): Stamp['date'] | 'none' {
  if (part.day === undefined) return undefined;
  const month = part.name === undefined ? Number(part.month) : monthOf(part.name);
  const day = Number(part.day);
  if (month === undefined || month < 1 || month > 12 || day < 1 || day > 31) return 'none';
  return part.year === undefined ? { month, day } : { year: Number(part.year), month, day };
}

function offsetOf(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -offset : offset;
}
