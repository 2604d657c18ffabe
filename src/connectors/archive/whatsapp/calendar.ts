export interface CalendarDay {
  year: number;
  month: number;
  day: number;
}

const DAY_MS = 86_400_000;
/** Offset of the Buddhist calendar in years. */
const BUDDHIST = 543;
/** WhatsApp exists since 2009, so the year determines the calendar: these ranges do not overlap for decades. */
const FIRST_PERSIAN = 1_387;
const FIRST_ISLAMIC = 1_428;
const LAST_ISLAMIC = 1_500;
const FIRST_BUDDHIST = 2_500;
const FIRST_SHORT_BUDDHIST = 52;

/**
 * Converts a date as written by the phone to the Gregorian calendar; undefined if it does not exist. Two-digit years
 * are in this century.
 */
export function toGregorian({ year, month, day }: CalendarDay): CalendarDay | undefined {
  if (year >= FIRST_BUDDHIST) return { year: year - BUDDHIST, month, day };
  if (year >= FIRST_PERSIAN && year < FIRST_ISLAMIC) return converted('persian', { year, month, day });
  if (year >= FIRST_ISLAMIC && year < LAST_ISLAMIC) return converted('islamic-umalqura', { year, month, day });
  if (year >= 100) return { year, month, day };
  const century = year >= FIRST_SHORT_BUDDHIST ? FIRST_BUDDHIST - BUDDHIST : 2_000;
  return { year: century + year, month, day };
}

type Calendar = 'persian' | 'islamic-umalqura';

const formats = new Map<Calendar, Intl.DateTimeFormat>();
const known = new Map<string, CalendarDay | undefined>();
const MAX_KNOWN = 20_000;

function converted(calendar: Calendar, wanted: CalendarDay): CalendarDay | undefined {
  const key = `${calendar} ${wanted.year} ${wanted.month} ${wanted.day}`;
  if (!known.has(key)) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, searched(calendar, wanted));
  }
  return known.get(key);
}

/** Estimates the day, corrects by the difference, and finally searches nearby. */
function searched(calendar: Calendar, wanted: CalendarDay): CalendarDay | undefined {
  const isPersian = calendar === 'persian';
  const yearDays = isPersian ? 365.2422 : 354.367;
  const start = isPersian ? Date.UTC(2001, 2, 21) : Date.UTC(2001, 2, 26);
  const startYear = isPersian ? 1_380 : 1_422;
  let moment = start + Math.round((wanted.year - startYear) * yearDays + (wanted.month - 1) * 30 + wanted.day) * DAY_MS;
  for (let tries = 0; tries < 4; tries++) moment += daysBetween(dayIn(calendar, moment), wanted, yearDays) * DAY_MS;
  const nearby = [0, 1, -1, 2, -2, 3, -3, 4, -4].map((days) => moment + days * DAY_MS);
  const found = nearby.find((candidate) => isSame(dayIn(calendar, candidate), wanted));
  return found === undefined ? undefined : gregorianDay(found);
}

/** Months differ in length, so the estimate is off by a few days. */
function daysBetween(from: CalendarDay, to: CalendarDay, yearDays: number): number {
  return Math.round((to.year - from.year) * yearDays + (to.month - from.month) * (yearDays / 12) + (to.day - from.day));
}

function isSame(one: CalendarDay, other: CalendarDay): boolean {
  return one.year === other.year && one.month === other.month && one.day === other.day;
}

function dayIn(calendar: Calendar, moment: number): CalendarDay {
  const parts = formatOf(calendar).formatToParts(moment);
  const number = (wanted: string) => Number.parseInt(parts.find(({ type }) => type === wanted)?.value ?? '', 10);
  return { year: number('year'), month: number('month'), day: number('day') };
}

function formatOf(calendar: Calendar): Intl.DateTimeFormat {
  const format =
    formats.get(calendar) ??
    new Intl.DateTimeFormat('en', { calendar, timeZone: 'UTC', year: 'numeric', month: 'numeric', day: 'numeric' });
  formats.set(calendar, format);
  return format;
}

function gregorianDay(moment: number): CalendarDay {
  const date = new Date(moment);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
