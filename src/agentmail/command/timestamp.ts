/** The original writes its zero time for mail of old versions. */
const BEFORE_MAIL = Date.UTC(1970, 0, 1);

/** The time of a letter for JSON: in UTC, or omitted. */
export function timestamp(createdAt: string | undefined): { timestamp?: string } {
  const time = Date.parse(createdAt ?? '');
  return Number.isNaN(time) || time < BEFORE_MAIL ? {} : { timestamp: new Date(time).toISOString() };
}
