import type { Position } from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';

interface Entry {
  events: readonly InboundEvent[];
  position: Position | undefined;
  done: PromiseWithResolvers<void>;
}

interface IntakeParts {
  /** Stores events in one transaction, with the position of the last of them. */
  store(events: readonly InboundEvent[], position: Position | undefined): Promise<void>;
  /** Too many events are queued (true), or all are stored (false). */
  onHold(isHeld: boolean): void;
  /** An event could not be stored; no later one will be. */
  onFailure(error: unknown): void;
}

/** Above this number of queued events the connection is asked to pause its network. */
const MAX_WAITING = 2_000;
const MAX_BATCH = 500;

/**
 * Stores the events of one connection in order, many in one transaction when many arrive together. Nothing is
 * stored after a failure: a later cursor would hide the gap permanently.
 */
export function createIntake({ store, onHold, onFailure }: IntakeParts) {
  const queue: Entry[] = [];
  let waiting = 0;
  let isHeld = false;
  let storing: Promise<void> | undefined;
  let refusal: unknown;

  function accept(events: readonly InboundEvent[], position?: Position): Promise<void> {
    const done = Promise.withResolvers<void>();
    // A connection may ignore the failure: the engine handles it.
    done.promise.catch(() => {});
    if (refusal !== undefined) {
      done.reject(refusal);
      return done.promise;
    }
    queue.push({ events, position, done });
    waiting += events.length;
    if (waiting > MAX_WAITING) hold(true);
    storing ??= storeAll();
    return done.promise;
  }

  async function storeAll(): Promise<void> {
    // Events that arrive in one turn of the event loop are stored together.
    await Promise.resolve();
    try {
      for (let batch = nextBatch(queue); batch.length > 0; batch = nextBatch(queue)) {
        await store(
          batch.flatMap(({ events }) => events),
          batch.findLast(({ position }) => position !== undefined)?.position,
        );
        queue.splice(0, batch.length);
        for (const { events, done } of batch) {
          waiting -= events.length;
          done.resolve();
        }
      }
      hold(false);
    } catch (error) {
      refusal ??= error;
      for (const { done } of queue.splice(0)) done.reject(error);
      onFailure(error);
    } finally {
      storing = undefined;
    }
  }

  function hold(next: boolean): void {
    if (next === isHeld) return;
    isHeld = next;
    onHold(next);
  }

  return {
    accept,
    /** Rejects further events. Resolves when all accepted events are stored or have failed. */
    async close(reason: Error): Promise<void> {
      refusal ??= reason;
      await storing;
    },
  };
}

/** The longest run at the front of the queue that has positions in one timeline at most. */
function nextBatch(queue: readonly Entry[]): Entry[] {
  const batch: Entry[] = [];
  let timeline: string | undefined;
  let size = 0;
  for (const entry of queue) {
    const next = entry.position?.timeline;
    const isOther = timeline !== undefined && next !== undefined && next !== timeline;
    if (isOther || (batch.length > 0 && size + entry.events.length > MAX_BATCH)) break;
    timeline ??= next;
    size += entry.events.length;
    batch.push(entry);
  }
  return batch;
}

export type Intake = ReturnType<typeof createIntake>;
