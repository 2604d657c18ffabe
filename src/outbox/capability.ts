import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import { readGrants } from '../domain/grants.ts';
import type { OutboxPort, OutboxSender, OutboxStore } from '../domain/outbox.ts';
import type { SendPolicy } from '../domain/policy.ts';
import { allows, type Principal } from '../domain/principal.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { opensLate } from '../lib/once.ts';
import type { Capability } from '../operation.ts';
import type { Dispatch } from './dispatch.ts';
import { approveItem } from './operations/approve-item.ts';
import { discardItem } from './operations/discard-item.ts';
import { listOutbox } from './operations/list-outbox.ts';
import { retryItem } from './operations/retry-item.ts';
import { showItem } from './operations/show-item.ts';
import { createPolicyCheck } from './policy-check.ts';
import type { OutboxParts, WaitForAttempt } from './ports.ts';
import { describeItem } from './senders.ts';
import { createSubmit } from './submit.ts';
import { createAttemptWaiter } from './wait-for-attempt.ts';

export interface OutboxNeeds {
  store(): Promise<{ outbox: OutboxStore; events: Pick<EventLog, 'listen'> }>;
  generalPolicy(): Promise<SendPolicy>;
  clock: Clock;
  log: Log;
}

/** Outgoing messages, for people: it has commands and routes, and no tools. Capabilities that send use its port. */
export function openOutbox({ store, generalPolicy, clock, ...needs }: OutboxNeeds): {
  capability: Capability;
  port: OutboxPort;
} {
  const log = needs.log.child({ component: 'outbox' });
  const outbox = opensLate(async () => (await store()).outbox);
  const senders = new Map<string, OutboxSender>();
  const checkPolicy = createPolicyCheck({ senders, generalPolicy });
  const waitForAttempt: WaitForAttempt = async (begin, signal) => createAttemptWaiter(await store())(begin, signal);
  const parts: OutboxParts = { outbox, waitForAttempt, describe: (item) => describeItem(senders, item) };
  let dispatch: Dispatch | undefined;

  return {
    capability: {
      name: 'outbox',
      invalidInput: 'VALIDATION_ERROR',
      combinedOnly: true,
      operations: [listOutbox, showItem, approveItem, discardItem, retryItem],
      mayFollow,
      parts,
      async start() {
        const [{ createDispatch }, { events }] = await Promise.all([import('./dispatch.ts'), store()]);
        for (const { id, through } of await outbox.recover()) {
          log.warn({ outbox: id, source: through }, 'It is not known whether this was sent.');
        }
        dispatch = createDispatch({ outbox, events, senders, checkPolicy, clock, log });
        dispatch.start();
      },
      stop: async () => dispatch?.stop(),
    },
    port: {
      register: (sender) => void senders.set(sender.kind, sender),
      submit: createSubmit({ outbox, senders, checkPolicy, waitForAttempt }),
      retryNow(through) {
        dispatch
          ?.retryNow(through)
          .catch((err: unknown) => log.warn({ err, source: through }, 'Queued items could not be retried.'));
      },
    },
  };
}

/** Events name the source and not the chat: a principal that is confined to some of its chats receives none. */
function mayFollow(principal: Principal, { type, data: { source } }: StoredEvent): boolean {
  if (!type.startsWith('outbox.')) return true;
  const { everything, sources } = readGrants(principal);
  return allows(principal, 'outbox:read') && (everything || sources.get(String(source)) === '*');
}
