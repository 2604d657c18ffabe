import type { MailFacts } from '../../mail-connector.ts';
import type { FetchedRow } from './fetch-rows.ts';

export function toFacts({ uid, flags, internalDate, size, emailId, threadId }: FetchedRow): MailFacts {
  const receivedAt = internalDate instanceof Date ? internalDate.getTime() : Number.NaN;
  return {
    uid,
    flags: visibleFlags(flags ?? new Set()),
    receivedAt: Number.isNaN(receivedAt) ? 0 : receivedAt,
    size: size ?? 0,
    ...(emailId ? { emailId } : {}),
    ...(threadId ? { threadId } : {}),
  };
}

/** Without the flag that says something about this session only. */
export function visibleFlags(flags: ReadonlySet<string>): readonly string[] {
  return [...flags].filter((flag) => flag !== '\\Recent');
}
