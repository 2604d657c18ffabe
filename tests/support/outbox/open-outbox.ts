import type { TestContext } from 'node:test';
import type { OutboxId } from '../../../src/domain/ids.ts';
import type { Attempt, OutboxItem, OutboxSender } from '../../../src/domain/outbox.ts';
import type { SendPolicy } from '../../../src/domain/policy.ts';
import type { Principal } from '../../../src/domain/principal.ts';
import { untilFound } from '../../../src/lib/until-found.ts';
import { createAskInClient } from '../../../src/outbox/ask-in-client.ts';
import { createDispatch, type DispatchParts } from '../../../src/outbox/dispatch.ts';
import { createPolicyCheck } from '../../../src/outbox/policy-check.ts';
import type { OutboxParts } from '../../../src/outbox/ports.ts';
import { describeItem } from '../../../src/outbox/senders.ts';
import { createSessionReads } from '../../../src/outbox/session-reads.ts';
import { createSubmit } from '../../../src/outbox/submit.ts';
import { createAttemptWaiter } from '../../../src/outbox/wait-for-attempt.ts';
import { manualClock } from '../manual-clock.ts';
import { silentLog } from '../operation-context.ts';
import type { Store } from '../store/open-store.ts';
import { openStore } from '../store/open-store.ts';
import { tokenPrincipal } from '../token-principal.ts';

const LONGEST_WAIT_MS = 60_000;

interface OutboxOptions extends Partial<Pick<DispatchParts, 'timeoutMs' | 'slotMs' | 'graceMs' | 'intervalMs'>> {
  generalPolicy?(): Promise<SendPolicy>;
  /** Default: every token still is as it was. */
  tokenOf?(item: { principal: string }): Promise<Principal | undefined>;
  mayAsk?: boolean;
}

/** A store in memory with a manual clock, and an outbox with one sender, whose dispatch is stopped when the test ends. */
export async function openOutbox(context: TestContext, sender: Partial<OutboxSender>, options: OutboxOptions = {}) {
  const { generalPolicy = async () => ({}), tokenOf = unchangedToken, mayAsk = false, ...times } = options;
  const clock = manualClock();
  const store = await openStore({ url: 'sqlite::memory:', home: '/nowhere', clock, log: silentLog });
  const { outbox, events } = store;
  const senders = sendersWith(sender);
  const reads = createSessionReads({ store: store.reads, clock });
  const checkPolicy = createPolicyCheck({ senders, reads, generalPolicy, tokenOf });
  const waitForAttempt = createAttemptWaiter(store);
  const dispatch = createDispatch({
    ...{ outbox, events, senders, checkPolicy, clock, log: silentLog },
    ...{ graceMs: 0, intervalMs: 10, ...times },
  });
  context.after(async () => {
    await dispatch.stop();
    await store.close();
  });
  const askInClient = createAskInClient({ outbox, senders, waitForAttempt, reads, mayAsk: async () => mayAsk });
  const submit = createSubmit({ outbox, senders, checkPolicy, waitForAttempt, reads, askInClient });
  const parts: OutboxParts = { outbox, waitForAttempt, reads, describe: (item) => describeItem(senders, item) };
  return { store, clock, dispatch, submit, parts, reads };
}

async function unchangedToken({ principal }: { principal: string }): Promise<Principal> {
  return tokenPrincipal(principal, []);
}

function sendersWith(sender: Partial<OutboxSender>): Map<string, OutboxSender> {
  const complete: OutboxSender = {
    kind: 'chat',
    describe: ({ payload }) => ({ text: String(payload.text) }),
    send: async () => ({ kind: 'sent' }),
    look: async () => ({ kind: 'unknown' }),
    ...sender,
  };
  return new Map([[complete.kind, complete]]);
}

/** The item, once it is in this state. */
export async function itemThatIs(store: Store, id: OutboxId, state: OutboxItem['state']): Promise<OutboxItem> {
  const find = async () => {
    const item = await store.outbox.find(id);
    return item?.state === state ? item : undefined;
  };
  const item = await untilFound(find, store.events.listen, AbortSignal.timeout(LONGEST_WAIT_MS));
  if (!item) throw new Error(`the item is ${(await store.outbox.find(id))?.state}, and not ${state}`);
  return item;
}

/** A sender whose every attempt waits for an outcome from the test. */
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
