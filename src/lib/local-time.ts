/** A local date and time. Months count from 1. */
export interface LocalTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const MINUTE_MS = 60_000;
/** Nowhere does a clock change between the quarters of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;
/** Offsets that are remembered: asking for one is slow. */
const REMEMBERED = 10_000;

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The zone of this machine. */
export function machineTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Timestamp of a local time in a zone; undefined if it does not exist. If clocks are set back, a local time occurs
 * twice: the first one not before `notBefore` is returned.
 */
export type ToInstant = (local: LocalTime, notBefore?: number) => number | undefined;

export function createLocalClock(timeZone: string): ToInstant {
  const offsetAt = createOffsets(timeZone);
  return (local, notBefore = Number.NEGATIVE_INFINITY) => {
    const shown = asUtc(local);
    if (shown === undefined) return undefined;
    // No zone is further than a day from UTC, and none changes its offset twice within two days.
    const offsets = [offsetAt(shown - DAY_MS), offsetAt(shown + DAY_MS)] as const;
    if (offsets[0] === offsets[1]) return shown - offsets[0];
    const fitting = [...new Set(offsets)]
      .map((offset) => shown - offset)
      .filter((instant) => instant + offsetAt(instant) === shown)
      .sort((a, b) => a - b);
    // A time that clocks skip when they are set forward is read as if they had not been.
    if (fitting.length === 0) return shown - offsets[0];
    return fitting.find((instant) => instant >= notBefore) ?? fitting[0];
  };
}

const DAY_MS = 24 * 60 * MINUTE_MS;

function asUtc({ year, month, day, hour, minute, second }: LocalTime): number | undefined {
  if (year < 1 || year > 9999 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.setUTCHours(hour, minute, second);
}

function createOffsets(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const known = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER_MS);
    const remembered = known.get(quarter);
    if (remembered !== undefined) return remembered;
    const offset = offsetOf(format, quarter * QUARTER_MS);
    if (known.size >= REMEMBERED) known.clear();
    known.set(quarter, offset);
    return offset;
  };
}

function offsetOf(format: Intl.DateTimeFormat, instant: number): number {
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  return shown.setUTCHours(hour, minute, second) - instant;
}
