import type { StoredEvent } from '../../domain/event-log.ts';
import type { Log } from '../../lib/log.ts';

type Listener = (events: readonly StoredEvent[]) => void;

interface Publisher {
  listen(listener: Listener): () => void;
  /**
   * Delivers events that were just committed. If another process committed in between, its events are delivered
   * first.
   */
  publish(events: readonly StoredEvent[]): void;
}

/**
 * Delivers committed events to listeners in the order of their numbers and without gaps, also when other processes
 * write to the same log.
 */
export function createPublisher({
  log,
  after,
}: {
  log: Log;
  /** Some events above a number, oldest first; empty if there are no newer ones. */
  after(number: number): Promise<readonly StoredEvent[]>;
}): Publisher {
  const listeners = new Set<Listener>();
  let last: number | undefined;
  let delivering = false;
  let hasMore = false;

  function publish(events: readonly StoredEvent[]): void {
    if (listeners.size === 0) {
      last = undefined;
    } else if (delivering) {
      // A listener wrote an event. It is delivered after all listeners have received the current one.
      hasMore = true;
    } else if (last === undefined || events[0]?.number === last + 1) {
      delivering = true;
      deliver(events);
      delivering = false;
      if (hasMore) void catchUp();
    } else {
      void catchUp();
    }
  }

  async function catchUp(): Promise<void> {
    delivering = true;
    try {
      for (let events = await next(); events.length > 0 || hasMore; events = await next()) deliver(events);
    } catch (error) {
      log.warn({ err: error }, 'Could not deliver stored events; they will be delivered with the next one.');
    } finally {
      delivering = false;
    }
  }

  function next(): Promise<readonly StoredEvent[]> {
    hasMore = false;
    return after(last ?? 0);
  }

  function deliver(events: readonly StoredEvent[]): void {
    for (const listener of listeners) {
      try {
        listener(events);
      } catch (error) {
        log.error({ err: error }, 'A listener of the event log threw an error.');
      }
    }
    last = events.at(-1)?.number ?? last;
  }

  return {
    publish,
    listen(listener) {
      // Wrapped, so that the same function can be registered twice and removed once.
      const registered: Listener = (events) => listener(events);
      listeners.add(registered);
      return () => void listeners.delete(registered);
    },
  };
}
