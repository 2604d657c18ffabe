import type { TestContext } from 'node:test';
import type { OutboxId } from '../../../src/domain/ids.ts';
import type { Attempt, OutboxItem, OutboxSender } from '../../../src/domain/outbox.ts';
import { createDispatch, type DispatchParts } from '../../../src/outbox/dispatch.ts';
import { manualClock } from '../manual-clock.ts';
import { silentLog } from '../operation-context.ts';
import type { Store } from '../store/open-store.ts';
import { openStore } from '../store/open-store.ts';

const LONGEST_WAIT_MS = 60_000;

/** A store in memory with a clock that stands still, and a dispatch that is stopped when the test ends. */
export async function openOutbox(
  context: TestContext,
  sender: Partial<OutboxSender>,
  parts: Partial<DispatchParts> = {},
) {
  const clock = manualClock();
  const store = await openStore({ url: 'sqlite::memory:', home: '/nowhere', clock, log: silentLog });
  const dispatch = createDispatch({
    outbox: store.outbox,
    events: store.events,
    senders: [{ kind: 'chat', send: async () => ({ kind: 'sent' }), look: async () => 'unknown', ...sender }],
    clock,
    log: silentLog,
    graceMs: 0,
    lookMs: 10,
    ...parts,
  });
  context.after(async () => {
    await dispatch.stop();
    await store.close();
  });
  return { store, clock, dispatch };
}

/** The item, once it is in this state. */
export async function itemThatIs(store: Store, id: OutboxId, state: OutboxItem['state']): Promise<OutboxItem> {
  const limit = AbortSignal.timeout(LONGEST_WAIT_MS);
  for (;;) {
    const changed = Promise.withResolvers<void>();
    const stop = store.events.listen(() => changed.resolve());
    limit.addEventListener('abort', () => changed.resolve());
    try {
      const item = await store.outbox.find(id);
      if (item?.state === state) return item;
      if (limit.aborted) throw new Error(`the item is ${item?.state}, and not ${state}`);
      await changed.promise;
    } finally {
      stop();
    }
  }
}

/** A sender whose every attempt waits until the test says what becomes of it. */
export function patientSender() {
  const waiting: { item: OutboxItem; answer(attempt: Attempt): void }[] = [];
  let arrived = Promise.withResolvers<void>();
  return {
    send(item: OutboxItem): Promise<Attempt> {
      const { promise, resolve } = Promise.withResolvers<Attempt>();
      waiting.push({ item, answer: resolve });
      arrived.resolve();
      return promise;
    },
    waiting: () => waiting.map(({ item }) => item),
    /** The next attempt, once there is one. */
    async next() {
      for (;;) {
        const first = waiting.shift();
        if (first) return first;
        arrived = Promise.withResolvers<void>();
        await arrived.promise;
      }
    },
  };
}
