import type { StoredEvent } from '../domain/event-log.ts';
import { readGrants } from '../domain/grants.ts';
import { allows, type Principal } from '../domain/principal.ts';
import type { Capability } from '../operation.ts';
import { approveItem } from './operations/approve-item.ts';
import { discardItem } from './operations/discard-item.ts';
import { listOutbox } from './operations/list-outbox.ts';
import { retryItem } from './operations/retry-item.ts';
import { showItem } from './operations/show-item.ts';
import type { OutboxParts } from './ports.ts';

/** What waits to leave, for people: it has commands and routes, and no tools. */
export function outboxCapability(parts: OutboxParts, work: OutboxWork): Capability {
  return {
    name: 'outbox',
    invalidInput: 'VALIDATION_ERROR',
    combinedOnly: true,
    operations: [listOutbox, showItem, approveItem, discardItem, retryItem],
    mayFollow,
    parts,
    ...work,
  };
}

/** Events tell the source and not the chat: whoever is confined to some chats of it hears of none. */
function mayFollow(principal: Principal, { type, data: { source } }: StoredEvent): boolean {
  if (!type.startsWith('outbox.')) return true;
  const { everything, sources } = readGrants(principal);
  return allows(principal, 'outbox:read') && (everything || sources.get(String(source)) === '*');
}

/** What goes on beside the calls, in the process that owns the home. */
export interface OutboxWork {
  start(): Promise<void>;
  stop(): Promise<void>;
}
