/** Mail of old versions that the original has rewritten bears the time zero of that program. */
const BEFORE_MAIL = Date.UTC(1970, 0, 1);

/** A time as it stands in a mailbox, as it leaves in an object: in UTC, or not at all. */
export function timestamp(createdAt: string | undefined): { timestamp?: string } {
  const time = Date.parse(createdAt ?? '');
  return Number.isNaN(time) || time < BEFORE_MAIL ? {} : { timestamp: new Date(time).toISOString() };
}
