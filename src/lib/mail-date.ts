const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d+)?)?`;
const ZONE = String.raw`(?<zone>[+-]\d\d:?\d\d|[a-z]{1,5})`;
/** `Thu, 13 Jun 2024 12:34:56 +0200` and variants. */
const RFC_5322 = new RegExp(
  String.raw`^(?:[a-z]{2,9}\.?,?\s*)?(?<day>\d{1,2})[\s-]+(?<month>[a-z]{3})[a-z]*\.?[\s-]+(?<year>\d{2,4})\s+${TIME}(?:\s*${ZONE})?(?=\s|$)`,
  'i',
);
/** `Thu Jun 13 12:34:56 2024` of a `From ` line; a zone may be before or after the year. */
const ASCTIME = new RegExp(
  String.raw`\b[a-z]{3},?\s+(?<month>[a-z]{3})\s+(?<day>\d{1,2})\s+${TIME}(?:\s+${ZONE})?\s+(?<year>\d{4})(?:\s+(?<late>[+-]\d{4}))?`,
  'i',
);
const ISO = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/i;

/** Zone abbreviations are ambiguous; these are their meanings in mail. */
const ZONES: ReadonlyMap<string, number> = new Map([
  ['est', -5],
  ['edt', -4],
  ['cst', -6],
  ['cdt', -5],
  ['mst', -7],
  ['mdt', -6],
  ['pst', -8],
  ['pdt', -7],
  ['cet', 1],
  ['cest', 2],
  ['met', 1],
  ['mest', 2],
  ['bst', 1],
  ['eet', 2],
  ['eest', 3],
  ['msk', 3],
  ['jst', 9],
]);
const HOUR_MS = 3_600_000;
const END_OF_TIME = Date.UTC(10_000, 0, 1);

/** Timestamp of an email; undefined if it cannot be parsed. Without a zone it is UTC. */
export function mailDate(text: string): number | undefined {
  const bare = text
    .slice(0, 200)
    .replaceAll(/\([^()]*\)/g, ' ')
    .trim();
  const found = (RFC_5322.exec(bare) ?? ASCTIME.exec(bare))?.groups;
  return within(found ? instantOf(found) : isoInstant(ISO.exec(bare)?.[0]));
}

function instantOf(part: Record<string, string | undefined>): number | undefined {
  const month = MONTHS.indexOf((part.month ?? '').toLowerCase());
  const [day, hour, minute, second] = [part.day, part.hour, part.minute, part.second ?? '0'].map(Number) as Numbers;
  const offset = offsetOf(part.late ?? part.zone);
  if (month === -1 || offset === undefined || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(Date.UTC(fullYear(part.year ?? ''), month, day));
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 - offset;
}

type Numbers = [number, number, number, number];

/** Two-digit years up to 49 are in this century; three digits were written by programs that count from 1900. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 2) return year < 50 ? 2000 + year : 1900 + year;
  return digits.length === 3 ? 1900 + year : year;
}

function offsetOf(zone: string | undefined): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  if (hours === undefined) return (ZONES.get((zone ?? '').toLowerCase()) ?? 0) * HOUR_MS;
  const offset = (Number(hours) + Number(minutes) / 60) * HOUR_MS;
  // No zone has a larger offset, so a larger one is invalid.
  return offset > 15 * HOUR_MS ? undefined : sign === '-' ? -offset : offset;
}

function isoInstant(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** 1970 means that the clock was not set. */
function within(at: number | undefined): number | undefined {
  return at !== undefined && at > 0 && at < END_OF_TIME ? at : undefined;
}
