import type { NewOutgoing, OutboxItem, Sender } from '../domain/outbox.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { opensLate } from '../lib/once.ts';
import type { Capability } from '../operation.ts';
import { outboxCapability } from '../outbox/capability.ts';
import type { Dispatch } from '../outbox/dispatch.ts';
import type { Settled } from '../outbox/ports.ts';
import type { Store } from '../storage/store.ts';

interface OutboxNeeds {
  store(): Promise<Store>;
  /** Those who take what is in it to where it goes. */
  senders(): Promise<readonly Sender[]>;
  clock: Clock;
  log: Log;
}

export interface ComposedOutbox {
  capability: Capability;
  /** Puts something into the outbox, and waits a few seconds for what becomes of it. */
  submit(outgoing: NewOutgoing, signal: AbortSignal): Promise<OutboxItem>;
  /** The source is reached: what waits for it leaves now. */
  hurry(source: string): void;
}

/** The outbox, with who empties it while this process owns the home. */
export function composeOutbox({ store, senders, clock, log }: OutboxNeeds): ComposedOutbox {
  const outbox = opensLate(async () => (await store()).outbox);
  const settled: Settled = async (begin, signal) => {
    const [{ createSettling }, opened] = await Promise.all([import('../outbox/settling.ts'), store()]);
    return createSettling(opened)(begin, signal);
  };
  let dispatch: Dispatch | undefined;

  return {
    capability: outboxCapability(
      { outbox, settled },
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
    submit: (outgoing, signal) => settled(() => outbox.add(outgoing), signal),
    hurry: (source) =>
      void dispatch?.hurry(source).catch((err: unknown) => log.warn({ err }, 'the outbox could not be hurried')),
  };
}
