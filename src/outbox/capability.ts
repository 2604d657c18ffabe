import { type CapabilityParts, defineCapability, type OpenCapability } from '../capability.ts';
import type { StoredEvent } from '../domain/event-log.ts';
import { readGrants } from '../domain/grants.ts';
import type { OutboxPort, OutboxSender } from '../domain/outbox.ts';
import { sendPolicy } from '../domain/policy.ts';
import { allows, type Principal } from '../domain/principal.ts';
import { opensLate } from '../lib/once.ts';
import type { Dispatch } from './dispatch.ts';
import { approveItem } from './operations/approve-item.ts';
import { discardItem } from './operations/discard-item.ts';
import { listOutbox } from './operations/list-outbox.ts';
import { retryItem } from './operations/retry-item.ts';
import { showItem } from './operations/show-item.ts';
import { createPolicyCheck } from './policy-check.ts';
import type { OutboxParts, OutboxStore, OutboxStores, ReadStore, WaitForAttempt } from './ports.ts';
import { outboxRetention, readsRetention } from './retention.ts';
import { describeItem } from './senders.ts';
import { createSessionReads } from './session-reads.ts';
import type { OutboxSettings } from './settings.ts';
import { outboxStore } from './store.ts';
import { createSubmit } from './submit.ts';
import { policyGrant } from './token-grants.ts';
import { createAttemptWaiter } from './wait-for-attempt.ts';

declare module '../capability.ts' {
  interface Services {
    outbox: OutboxPort;
  }
}

/** Outgoing messages, for people: it has commands and routes, and no tools. Capabilities that send use its port. */
export const outbox = defineCapability({
  name: 'outbox',
  invalidInput: 'VALIDATION_ERROR',
  combinedOnly: true,
  config: () => import('./settings.ts'),
  probes: async () => [(await import('./probe.ts')).policyProbe],
  store: outboxStore,
  open: openOutbox,
});

function openOutbox(given: CapabilityParts<OutboxStores, OutboxSettings>): OpenCapability {
  const { store, events, settings, clock } = given;
  const log = given.log.child({ component: 'outbox' });
  const items = opensLate<OutboxStore>(async () => (await store()).items);
  const readStore = opensLate<ReadStore>(async () => (await store()).reads);
  const reads = createSessionReads({ store: readStore, clock });
  const senders = new Map<string, OutboxSender>();
  const checkPolicy = createPolicyCheck({
    senders,
    reads,
    generalPolicy: async () => sendPolicy((await settings()).policy),
  });
  const waitForAttempt: WaitForAttempt = async (begin, signal) =>
    createAttemptWaiter({ outbox: items, events: await events() })(begin, signal);
  const parts: OutboxParts = { outbox: items, waitForAttempt, reads, describe: (item) => describeItem(senders, item) };
  let dispatch: Dispatch | undefined;

  const service: OutboxPort = {
    register: (sender) => void senders.set(sender.kind, sender),
    submit: createSubmit({ outbox: items, senders, checkPolicy, waitForAttempt, reads }),
    noteRead: reads.note,
    retryNow(through) {
      dispatch
        ?.retryNow(through)
        .catch((err: unknown) => log.warn({ err, source: through }, 'queued items could not be retried'));
    },
  };
  return {
    operations: [listOutbox, showItem, approveItem, discardItem, retryItem],
    mayFollow,
    grants: [policyGrant],
    parts,
    service,
    async start() {
      const { createDispatch } = await import('./dispatch.ts');
      for (const { id, through } of await items.recover()) {
        log.warn({ outbox: id, source: through }, 'could not determine whether an item was sent');
      }
      dispatch = createDispatch({ outbox: items, events: await events(), senders, checkPolicy, clock, log });
      dispatch.start();
    },
    stop: async () => dispatch?.stop(),
    keepsDaemonAlive: async () => (await items.list({ states: ['queued', 'sending'], limit: 1 })).length > 0,
    retention: [outboxRetention(items, settings), readsRetention(readStore)],
  };
}

/** Events name the source and not the chat: a principal that is confined to some of its chats receives none. */
function mayFollow(principal: Principal, { type, data: { source } }: StoredEvent): boolean {
  if (!type.startsWith('outbox.')) return true;
  const { everything, sources } = readGrants(principal);
  return allows(principal, 'outbox:read') && (everything || sources.get(String(source)) === '*');
}
