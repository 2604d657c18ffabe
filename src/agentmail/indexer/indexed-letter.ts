import type { Letter } from '../letter.ts';
import type { IndexedLetter } from '../ports.ts';

/** Mail of old versions that the original has rewritten bears the time zero of that program. */
const BEFORE_MAIL = Date.UTC(1970, 0, 1);

export function toIndexed(repository: string, { id, from, to, message, createdAt }: Letter): IndexedLetter {
  const time = utcTime(createdAt);
  return { repository, id, from, to, message, ...(time === undefined ? {} : { createdAt: time }) };
}

/** Milliseconds since 1970 of a time as it stands in a mailbox; none where it says nothing. */
export function utcTime(createdAt: string | undefined): number | undefined {
  const time = Date.parse(createdAt ?? '');
  return Number.isNaN(time) || time < BEFORE_MAIL ? undefined : time;
}
