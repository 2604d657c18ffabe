import type { EventLog } from '../domain/event-log.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import { untilFound } from '../lib/until-found.ts';
import type { OutboxStore, WaitForAttempt } from './ports.ts';

const TIMEOUT_MS = 10_000;

export interface AttemptWaiterParts {
  outbox: Pick<OutboxStore, 'find'>;
  events: Pick<EventLog, 'listen'>;
  timeoutMs?: number;
}

export function createAttemptWaiter({ outbox, events, timeoutMs = TIMEOUT_MS }: AttemptWaiterParts): WaitForAttempt {
  return async (begin, signal) => {
    const begun = await begin();
    if (wasAttempted(begun) || signal.aborted) return begun;
    const current = async () => (await outbox.find(begun.id)) ?? begun;
    const attempted = await untilFound(
      async () => [await current()].find(wasAttempted),
      (notify) => events.listen((stored) => void (stored.some(({ subject }) => subject === begun.id) && notify())),
      AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    );
    return attempted ?? current();
  };
}

/** Also true of what is held or finished, and of an item that is queued again after an attempt. */
function wasAttempted({ state, attempts }: OutboxItem): boolean {
  return state !== 'sending' && (state !== 'queued' || attempts > 0);
}
