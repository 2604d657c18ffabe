import type { ItemDescription, OutboxItem, OutboxSender } from '../domain/outbox.ts';
import { hasNoContent } from '../domain/outbox.ts';

/** Registered senders by their kind. */
export type Senders = ReadonlyMap<string, OutboxSender>;

/** Undefined once the content has been deleted. An item whose sender is not registered is described by its summary. */
export function describeItem(senders: Senders, item: OutboxItem): ItemDescription | undefined {
  if (hasNoContent(item)) return undefined;
  return senders.get(item.sender)?.describe(item) ?? { text: item.summary };
}
