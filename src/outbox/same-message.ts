import { isDeepStrictEqual } from 'node:util';
import type { OutboxItem, OutboxSubmission } from '../domain/outbox.ts';

/** Whether an item has the content and the recipients of a submission. Names of recipients may have changed. */
export function isSameMessage(item: OutboxItem, { payload, recipients }: OutboxSubmission): boolean {
  return isDeepStrictEqual(item.payload, payload) && isDeepStrictEqual(idsOf(item.recipients), idsOf(recipients));
}

function idsOf(recipients: OutboxItem['recipients']): string[] {
  return recipients.map(({ id }) => id);
}
