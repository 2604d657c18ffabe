import type { Letter } from '../letter.ts';
import type { IndexedLetter } from '../ports.ts';

/** The original writes its zero time for mail of old versions. */
const BEFORE_MAIL = Date.UTC(1970, 0, 1);

export function toIndexed(repository: string, { id, from, to, message, createdAt }: Letter): IndexedLetter {
  const time = utcTime(createdAt);
  return { repository, id, from, to, message, ...(time === undefined ? {} : { createdAt: time }) };
}

/** Milliseconds since 1970 of a letter's time; undefined where it has none. */
export function utcTime(createdAt: string | undefined): number | undefined {
  const time = Date.parse(createdAt ?? '');
  return Number.isNaN(time) || time < BEFORE_MAIL ? undefined : time;
}
