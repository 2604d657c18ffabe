import type { EventLog } from '../domain/event-log.ts';
import type { Outbox, OutboxItem } from '../domain/outbox.ts';
import type { Settled } from './ports.ts';

/** How long a caller waits for the network's word. */
const PATIENCE_MS = 10_000;

export interface SettlingParts {
  outbox: Pick<Outbox, 'find'>;
  events: Pick<EventLog, 'listen'>;
  patienceMs?: number;
}

/** Waits until an item that somebody has added, approved or retried was tried, or patience is at its end. */
export function createSettling({ outbox, events, patienceMs = PATIENCE_MS }: SettlingParts): Settled {
  return async (begin, signal) => {
    let changed = Promise.withResolvers<void>();
    // Before it begins, so that nothing that follows is missed.
    const stopListening = events.listen((told) => {
      if (told.some(({ type }) => type.startsWith('outbox.'))) changed.resolve();
    });
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    patience.addEventListener('abort', () => changed.resolve());
    try {
      for (let item = await begin(); ; ) {
        if (isAnswered(item) || patience.aborted) return item;
        await changed.promise;
        changed = Promise.withResolvers<void>();
        item = (await outbox.find(item.id)) ?? item;
      }
    } finally {
      stopListening();
    }
  };
}

/** What is queued again has been tried, and will be later. */
function isAnswered({ state, attempts }: OutboxItem): boolean {
  return state !== 'sending' && (state !== 'queued' || attempts > 0);
}
