import type { OutboxItem } from '../domain/outbox.ts';
import type { OutboxParts } from './ports.ts';

interface ApproveParts extends Pick<OutboxParts, 'waitForAttempt' | 'reads'> {
  outbox: Pick<OutboxParts['outbox'], 'change'>;
}

/** Sends a held item. Its session may answer others again: a person has seen what it wrote. */
export async function approve(
  { outbox, waitForAttempt, reads }: ApproveParts,
  item: OutboxItem,
  { by, signal }: { by: string; signal: AbortSignal },
): Promise<OutboxItem> {
  return waitForAttempt(async () => {
    const approved = await outbox.change(item.id, { kind: 'approve', by });
    await reads.approved(item);
    return approved;
  }, signal);
}
