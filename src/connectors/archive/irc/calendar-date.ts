/** A date. Months count from 1. */
export interface CalendarDate {
  year: number;
  month: number;
  day: number;
}

/**
 * Month names in the languages of common programs, by their beginnings; juin and juillet of French need four letters.
 */
const MONTHS: readonly string[] = [
  'jan ene gen sty led',
  'feb fev fév lut úno',
  'mar mär mrz maa bře',
  'apr avr abr kwi dub',
  'may mai maj mag mei kvě',
  'jun juin giu cze czw',
  'jul juil lug lip',
  'aug aoû aou ago sie srp',
  'sep set wrz zář',
  'oct okt ott out paź říj',
  'nov lis',
  'dec déc dez dic des gru pro',
];

const NAME = String.raw`(?<name>\p{L}{3,12})\.?`;
const YEAR = String.raw`(?<year>\d{4})`;
const CLOCK = String.raw`(?:\d{1,2}:\d\d(?::\d\d)?\s+)?(?:[A-Z]{2,5}\s+)?`;
const WRITTEN: readonly RegExp[] = [
  /(?<!\d)(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})(?!\d)/,
  new RegExp(String.raw`${NAME}\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+${CLOCK}${YEAR}`, 'u'),
  new RegExp(String.raw`(?<!\d)(?<day>\d{1,2})\.?\s+${NAME},?\s+${CLOCK}${YEAR}`, 'u'),
  /(?<!\d)(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?!\d)/,
];
/**
 * Patterns of file names with a date: `2024-06-13.log`, `#chat_20240613.log`, `2024/06/13/#chat.txt`,
 * `chat.log.13Jun2024`.
 */
const IN_NAMES: readonly RegExp[] = [
  /(?<!\d)(?<year>\d{4})[-_./](?<month>\d\d)[-_./](?<day>\d\d)(?!\d)/g,
  /(?<!\d)(?<year>(?:19|20)\d\d)(?<month>\d\d)(?<day>\d\d)(?!\d)/g,
  /(?<!\d)(?<day>\d{1,2})(?<name>[A-Z][a-z]{2})(?<year>\d{4})(?!\d)/g,
];

/** The date in a line. */
export function dateIn(text: string): CalendarDate | undefined {
  for (const pattern of WRITTEN) {
    const date = toDate(pattern.exec(text)?.groups);
    if (date) return date;
  }
  return undefined;
}

/** The date in a file name, and its position in the name. */
export function dateInName(name: string): (CalendarDate & { text: string }) | undefined {
  for (const pattern of IN_NAMES) {
    for (const found of [...name.matchAll(pattern)].reverse()) {
      const date = toDate(found.groups);
      if (date) return { ...date, text: found[0] };
    }
  }
  return undefined;
}

export function monthOf(name: string): number | undefined {
  const lower = name.toLowerCase();
  const index = MONTHS.findIndex((names) => names.split(' ').some((each) => lower.startsWith(each)));
  return index === -1 ? undefined : index + 1;
}

export function dayAfter({ year, month, day }: CalendarDate): CalendarDate {
  const next = new Date(Date.UTC(year, month - 1, day + 1));
  return { year: next.getUTCFullYear(), month: next.getUTCMonth() + 1, day: next.getUTCDate() };
}

/** There was no IRC before 1988. */
export function isDate({ year, month, day }: CalendarDate): boolean {
  if (year < 1988 || year > 2100) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function toDate(found: Record<string, string | undefined> | undefined): CalendarDate | undefined {
  if (!found) return undefined;
  const month = found.name === undefined ? Number(found.month) : monthOf(found.name);
  const [year, day] = [Number(found.year), Number(found.day)];
  return month !== undefined && isDate({ year, month, day }) ? { year, month, day } : undefined;
}
