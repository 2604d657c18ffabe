import { type CapabilityParts, defineCapability, type OpenCapability } from '../capability.ts';
import { readGrants } from '../domain/grants.ts';
import type { OutboxId } from '../domain/ids.ts';
import type { OutboxItem, OutboxPort, OutboxSender } from '../domain/outbox.ts';
import { type SendRule, sendPolicy } from '../domain/policy.ts';
import type { Principal } from '../domain/principal.ts';
import { createListeners } from '../lib/listeners.ts';
import { opensLate } from '../lib/once.ts';
import { createAskInClient } from './ask-in-client.ts';
import type { Dispatch } from './dispatch.ts';
import { policyGuide } from './guide.ts';
import { covers } from './item-view.ts';
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
import { visibleItems, withGrantedReads } from './visible-items.ts';
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
    tokenOf: (author) => given.service('system').find(author),
  });
  const waitForAttempt: WaitForAttempt = async (begin, signal) =>
    createAttemptWaiter({ outbox: items, events: await events() })(begin, signal);
  const parts: OutboxParts = { outbox: items, waitForAttempt, reads, describe: (item) => describeItem(senders, item) };
  const askInClient = createAskInClient({
    outbox: items,
    senders,
    waitForAttempt,
    reads,
    mayAsk: async () => (await settings()).policy.ask_in_client,
  });
  /** What is sent through a source that a principal may not read is not shown to it here either. */
  const isShown = (principal: Principal, through: string) =>
    [...senders.values()].every(({ mayRead }) => mayRead?.(principal, through) ?? true);
  function seenBy(principal: Principal, item: OutboxItem): OutboxItem | undefined {
    const grants = readGrants(principal);
    return covers(grants, item) && isShown(principal, item.through) ? withGrantedReads(item, grants) : undefined;
  }
  /** Events name the source and not the chat: a principal that is confined to some of its chats receives none. */
  function mayFollow(principal: Principal, source: string): boolean {
    const { everything, sources } = readGrants(principal);
    return (everything || sources.get(source) === '*') && isShown(principal, source);
  }
  let dispatch: Dispatch | undefined;
  let rule: SendRule | undefined;
  const changes = createListeners();
  async function noteRule(): Promise<void> {
    rule = (await settings()).policy.send;
    changes.notify();
  }

  const service: OutboxPort = {
    register: (sender) => void senders.set(sender.kind, sender),
    submit: createSubmit({ outbox: items, senders, checkPolicy, waitForAttempt, reads, askInClient }),
    find: (id) => items.find(id as OutboxId),
    inLane: (sender, through, lane) =>
      items.list({ sender, through, lane, states: ['held', 'queued', 'sending', 'uncertain', 'sent'] }),
    noteRead: reads.note,
    shareReads: reads.share,
    isDenied: () => rule === 'deny',
    retryNow(through) {
      dispatch
        ?.retryNow(through)
        .catch((err: unknown) => log.warn({ err, source: through }, 'queued items could not be retried'));
    },
  };
  return {
    operations: [listOutbox, showItem, approveItem, discardItem, retryItem],
    events: [
      {
        prefix: 'outbox.',
        description: 'Steps of outgoing messages, without their text; for the whole source.',
        right: 'read',
        mayReceive: (principal, { data: { source } }) => mayFollow(principal, String(source)),
      },
    ],
    filtersByGrants: true,
    partsFor: (principal) => ({ ...parts, outbox: visibleItems(items, (item) => seenBy(principal, item)) }),
    grants: [policyGrant],
    guide: policyGuide(() => rule, { ready: noteRule, onChange: changes.add }),
    reconfigured: noteRule,
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
