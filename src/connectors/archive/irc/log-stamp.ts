import { type CalendarDate, dateIn, monthOf } from './calendar-date.ts';

/** Timestamp of a line, as far as it is given. */
export interface Stamp {
  /** A complete date, or only month and day. */
  date?: CalendarDate | { month: number; day: number };
  hour: number;
  minute: number;
  second: number;
  /** The hour was written with a.m. or p.m., so that there is no doubt about it. */
  isOfHalf?: true;
  /** Offset to UTC in minutes, if given. */
  offset?: number;
}

const HALF = String.raw`(?:[ \u202f]?(?<half>[ap])\.?m\.?(?![\p{L}\d]))?`;
const FULL = new RegExp(
  String.raw`^\[?(?<year>\d{4})[-/.](?<month>\d\d)[-/.](?<day>\d\d)[T ,_]+(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d{1,9})?)?${HALF}(?: ?(?<zone>Z|[+-]\d\d:?\d\d))?\]?:?(?=\s|<)`,
  'iu',
);
/** Konversation writes both as the language of the user does: `[Thursday, 13 June 2024] [12:34:56 PM CEST]`. */
const DATED =
  /^\[(?<written>[^\]\d]{0,24}\d[^\]]{5,40})\] \[(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d))?(?:[ \u202f]?(?<half>[ap])\.?m\.?)?(?: [\p{L}\d+:-]{1,10})?\](?=\s)/iu;
const YEARLESS = new RegExp(
  String.raw`^(?<name>\p{L}{3,12})\.? +(?<day>\d{1,2}) (?<hour>\d{1,2}):(?<minute>\d\d):(?<second>\d\d)${HALF}(?=\s)`,
  'iu',
);
const CLOCK =
  /^(?:[[(](?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d+)?)?(?:[ \u202f]?(?<half>[ap])\.?m\.?)?[\])]|(?<bareHour>\d{1,2}):(?<bareMinute>\d\d)(?::(?<bareSecond>\d\d))?(?:[ \u202f]?(?<bareHalf>[ap])\.?m\.?)?(?=\s))/i;

/** The timestamp at the beginning of a line, and its length. */
export function stampOf(line: string): { stamp: Stamp; length: number } | undefined {
  const found = FULL.exec(line) ?? DATED.exec(line) ?? YEARLESS.exec(line) ?? CLOCK.exec(line);
  const part = found?.groups;
  if (!found || !part) return undefined;
  const date = stampDate(part);
  if (date === 'none') return undefined;
  const stamp = toStamp({
    hour: part.hour ?? part.bareHour ?? '',
    minute: part.minute ?? part.bareMinute ?? '',
    second: part.second ?? part.bareSecond,
    half: part.half ?? part.bareHalf,
    zone: part.zone,
  });
  return stamp && { stamp: { ...stamp, ...(date === undefined ? {} : { date }) }, length: found[0].length };
}

/** A time of day as it is written; undefined if there is no such time. */
export function toStamp({
  hour,
  minute,
  second = '0',
  half,
  zone,
}: {
  hour: string;
  minute: string;
  second: string | undefined;
  half: string | undefined;
  zone: string | undefined;
}): Stamp | undefined {
  const stamp: Stamp = {
    // 12 a.m. is midnight, 12 p.m. is noon.
    hour: half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0),
    minute: Number(minute),
    second: Number(second),
    ...(half === undefined ? {} : { isOfHalf: true }),
    ...(zone === undefined ? {} : { offset: offsetOf(zone) }),
  };
  return stamp.hour > 23 || stamp.minute > 59 || stamp.second > 60 ? undefined : stamp;
}

function stampDate(part: Record<string, string | undefined>): Stamp['date'] | 'none' {
  if (part.written !== undefined) return dateIn(part.written) ?? 'none';
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
