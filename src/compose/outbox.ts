import type { NewOutboxItem, OutboxItem, OutboxSender } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { opensLate } from '../lib/once.ts';
import type { Capability } from '../operation.ts';
import { outboxCapability } from '../outbox/capability.ts';
import type { Dispatch } from '../outbox/dispatch.ts';
import type { WaitForAttempt } from '../outbox/ports.ts';
import type { Store } from '../storage/store.ts';

interface OutboxNeeds {
  store(): Promise<Store>;
  /** Those who take what is in it to where it goes. */
  senders(): Promise<readonly OutboxSender[]>;
  clock: Clock;
  log: Log;
}

export interface ComposedOutbox {
  capability: Capability;
  /** Puts something into the outbox, and waits a few seconds for what becomes of it. */
  submit(outgoing: NewOutboxItem, signal: AbortSignal): Promise<OutboxItem>;
  /** The source is reached: what waits for it leaves now. */
  retryNow(through: string): void;
}

/** The outbox, with who empties it while this process owns the home. */
export function composeOutbox({ store, senders, clock, log }: OutboxNeeds): ComposedOutbox {
  const outbox = opensLate(async () => (await store()).outbox);
  const waitForAttempt: WaitForAttempt = async (begin, signal) => {
    const [{ createAttemptWaiter }, opened] = await Promise.all([import('../outbox/wait-for-attempt.ts'), store()]);
    return createAttemptWaiter(opened)(begin, signal);
  };
  let dispatch: Dispatch | undefined;

  return {
    capability: outboxCapability(
      { outbox, waitForAttempt },
      {
        async start() {
          const [{ createDispatch }, { events }, list] = await Promise.all([
            import('../outbox/dispatch.ts'),
            store(),
            senders(),
          ]);
          dispatch = createDispatch({ outbox, events, senders: list, clock, log: log.child({ component: 'outbox' }) });
          await dispatch.start();
        },
        stop: async () => dispatch?.stop(),
      },
    ),
    submit: (outgoing, signal) => waitForAttempt(() => outbox.add(outgoing), signal),
    retryNow: (through) =>
      void dispatch
        ?.retryNow(through)
        .catch((err: unknown) => log.warn({ err }, 'the outbox could not retry what waits for a source')),
  };
}
