import { AppError } from './errors.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

const UNITS: Readonly<Record<string, number>> = {
  s: SECOND,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: WEEK,
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: WEEK,
};

/** The year 1. */
const EARLIEST = -62_135_596_800_000;

const SHORT = /^(\d+) ?([smhdw])$/i;
const AGO = /^(\d+) (second|minute|hour|day|week)s? ago$/i;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
// A plus that is not encoded in a URI arrives as a space.
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+ -]\d\d:?\d\d)?$/i;

/** A time expression as milliseconds since 1970. Without a zone it is in UTC, where days begin at midnight. */
export function parseTime(text: string, field: string, now: number): number {
  const timestamp = timestampOf(text, now);
  if (timestamp !== undefined) return timestamp;
  throw new AppError('INVALID_PARAMETER', `${field} must be ${TIME_FORMS}`, { field });
}

/** Describes what is accepted, after "must be". */
export const TIME_FORMS =
  'a time: 45s, 30m, 24h, 7d or 2w (that long ago), "7 days ago", now, today, yesterday, a date like 2026-11-16, or a moment like 2026-11-16T08:30:00Z or 2026-11-16T08:30:00+02:00; UTC where no zone is given.';

/** Undefined if the text is not a time. */
export function timestampOf(text: string, now: number): number | undefined {
  const timestamp = relative(text, now) ?? named(text, now) ?? date(text) ?? dateTime(text);
  return timestamp !== undefined && timestamp >= EARLIEST ? timestamp : undefined;
}

export interface TimeRange {
  /** Inclusive. */
  since?: number;
  /** Exclusive. */
  before?: number;
}

export function timeRange(
  { since, before }: { since?: string | undefined; before?: string | undefined },
  now: number,
): TimeRange {
  const range: TimeRange = {
    ...(since === undefined ? {} : { since: parseTime(since, 'since', now) }),
    ...(before === undefined ? {} : { before: parseTime(before, 'before', now) }),
  };
  if (range.since !== undefined && range.before !== undefined && range.since >= range.before) {
    throw new AppError('INVALID_PARAMETER', 'since must be earlier than before: no time lies between them.', {
      field: 'since',
    });
  }
  return range;
}

function relative(text: string, now: number): number | undefined {
  const [, count, unit = ''] = SHORT.exec(text) ?? AGO.exec(text) ?? [];
  return count === undefined ? undefined : now - Number(count) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
}

function named(text: string, now: number): number | undefined {
  const midnight = now - (((now % DAY) + DAY) % DAY);
  switch (text.toLowerCase()) {
    case 'now':
      return now;
    case 'today':
      return midnight;
    case 'yesterday':
      return midnight - DAY;
    default:
      return undefined;
  }
}

function date(text: string): number | undefined {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const midnight = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // Date.parse reads the 30th of February as a day in March.
  return new Date(midnight || 0).getUTCDate() === Number(day) ? midnight : undefined;
}

function dateTime(text: string): number | undefined {
  const [whole, day = '', hours, minutes, seconds = '00', fraction = '0', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  if (whole === undefined || date(day) === undefined || Number(hours) > 23) return undefined;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const offset = zone
    .replace(' ', '+')
    .replace(/^([+-]\d\d):?/, '$1:')
    .toUpperCase();
  const timestamp = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${milliseconds}${offset}`);
  return Number.isNaN(timestamp) ? undefined : timestamp;
}
