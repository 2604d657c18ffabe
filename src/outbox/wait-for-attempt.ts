import type { EventLog } from '../domain/event-log.ts';
import type { OutboxItem, OutboxStore } from '../domain/outbox.ts';
import { untilFound } from '../lib/until-found.ts';
import type { WaitForAttempt } from './ports.ts';

/** How long a caller waits for the network's word. */
const PATIENCE_MS = 10_000;

export interface AttemptWaiterParts {
  outbox: Pick<OutboxStore, 'find'>;
  events: Pick<EventLog, 'listen'>;
  patienceMs?: number;
}

/** Waits until an item that somebody has added, approved or retried was tried, or patience is at its end. */
export function createAttemptWaiter({ outbox, events, patienceMs = PATIENCE_MS }: AttemptWaiterParts): WaitForAttempt {
  return async (begin, signal) => {
    const begun = await begin();
    if (isAnswered(begun) || signal.aborted) return begun;
    const current = async () => (await outbox.find(begun.id)) ?? begun;
    const answered = await untilFound(
      async () => [await current()].find(isAnswered),
      (notify) => events.listen((told) => void (told.some(({ subject }) => subject === begun.id) && notify())),
      AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    );
    return answered ?? current();
  };
}

/** What is queued again has been tried, and will be later. */
function isAnswered({ state, attempts }: OutboxItem): boolean {
  return state !== 'sending' && (state !== 'queued' || attempts > 0);
}
