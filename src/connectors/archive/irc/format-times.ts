import type { DateOrder } from '../../../domain/archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { type CalendarDate, isDate, monthOf } from './calendar-date.ts';
import { type Stamp, toStamp } from './log-stamp.ts';

type StampDate = NonNullable<Stamp['date']>;

const TIME =
  /(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:[ \u202f]?([ap])\.?m\.?(?![\p{L}\d]))?(?: ?(Z(?![\p{L}\d])|[+-]\d\d:?\d\d(?!\d)))?/iuy;
const UNIX = /(\d{9,10})(?:[.,]\d{1,9})?(?!\d)|(\d{13})(?!\d)/y;
const WEEKDAY = String.raw`(?:\p{L}{2,12}\.?,? )?`;
const DATES: readonly RegExp[] = [
  /(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})(?!\d)/y,
  /(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?!\d)/y,
  /(?<first>\d{1,2})(?<sign>[-/.])(?<second>\d{1,2})[-/.](?<last>\d{4}|\d\d)(?!\d)/y,
  new RegExp(String.raw`${WEEKDAY}(?<name>\p{L}{3,12})\.? +(?<day>\d{1,2})(?:,? (?<year>\d{4}))?(?![\d:])`, 'uy'),
  new RegExp(String.raw`${WEEKDAY}(?<day>\d{1,2})\.?[ -](?<name>\p{L}{3,12})\.?[ -](?<year>\d{4})(?!\d)`, 'uy'),
];

/** What is read at a place of a line, and the index after it. */
interface ReadAt<Value> {
  value: Value;
  end: number;
}

export function readTime(line: string, at: number): ReadAt<Stamp> | undefined {
  TIME.lastIndex = at;
  const [whole, hour = '', minute = '', second, half, zone] = TIME.exec(line) ?? [];
  const value = whole === undefined ? undefined : toStamp({ hour, minute, second, half, zone });
  return value && { value, end: at + (whole ?? '').length };
}

/** Seconds or milliseconds since 1970. */
export function readUnixTime(line: string, at: number): ReadAt<Stamp> | undefined {
  UNIX.lastIndex = at;
  const [whole, seconds, milliseconds] = UNIX.exec(line) ?? [];
  if (whole === undefined) return undefined;
  const moment = new Date(seconds === undefined ? Number(milliseconds) : Number(seconds) * 1000);
  const value: Stamp = {
    date: { year: moment.getUTCFullYear(), month: moment.getUTCMonth() + 1, day: moment.getUTCDate() },
    hour: moment.getUTCHours(),
    minute: moment.getUTCMinutes(),
    second: moment.getUTCSeconds(),
    offset: 0,
  };
  return { value, end: at + whole.length };
}

export function readDate(line: string, at: number, order: DateOrder | undefined): ReadAt<StampDate> | undefined {
  for (const pattern of DATES) {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    const value = found && toDate(found.groups ?? {}, order);
    if (found && value) return { value, end: at + found[0].length };
  }
  return undefined;
}

function toDate(part: Record<string, string | undefined>, order: DateOrder | undefined): StampDate | undefined {
  if (part.first !== undefined) return numberedDate(part, order);
  const month = part.name === undefined ? Number(part.month) : monthOf(part.name);
  const day = Number(part.day);
  if (month === undefined) return undefined;
  if (part.year === undefined) return isDate({ year: 2024, month, day }) ? { month, day } : undefined;
  const date = { year: Number(part.year), month, day };
  return isDate(date) ? date : undefined;
}

/** `13/06/2024`: which number is the day has to be said, unless they are separated by dots or one is too large. */
function numberedDate(
  part: Record<string, string | undefined>,
  wanted: DateOrder | undefined,
): CalendarDate | undefined {
  const [first, second, last] = [Number(part.first), Number(part.second), Number(part.last)];
  if (![first, second, last].every(Number.isSafeInteger)) return undefined;
  const order = wanted ?? (part.sign === '.' || first > 12 ? 'dmy' : second > 12 ? 'mdy' : undefined);
  if (order === undefined) throw inDoubt();
  const [year, month, day] =
    order === 'ymd' ? [first, second, last] : order === 'dmy' ? [last, second, first] : [last, first, second];
  const date = { year: year < 100 ? (year < 70 ? 2_000 : 1_900) + year : year, month, day };
  return isDate(date) ? date : undefined;
}

function inDoubt(): AppError {
  return new AppError('INVALID_PARAMETER', 'The dates of this log can be read in more than one way.', {
    field: 'date_order',
    hint: 'Say which number comes first: --date-order dmy (3/4/24 is in April), mdy (it is in March) or ymd.',
  });
}
