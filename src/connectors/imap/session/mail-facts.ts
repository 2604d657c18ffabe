import type { FetchMessageObject } from 'imapflow';
import type { MailFacts } from '../../mail-connector.ts';

export type FetchedRow = FetchMessageObject;

export function toFacts({ uid, flags, internalDate, size, emailId, threadId }: FetchedRow): MailFacts {
  const receivedAt = internalDate instanceof Date ? internalDate.getTime() : 0;
  return {
    uid,
    flags: visibleFlags(flags ?? new Set()),
    receivedAt,
    size: size ?? 0,
    ...(emailId ? { emailId } : {}),
    ...(threadId ? { threadId } : {}),
  };
}

/** Without the flag that says something about this session only. */
export function visibleFlags(flags: ReadonlySet<string>): readonly string[] {
  return [...flags].filter((flag) => flag !== '\\Recent');
}
