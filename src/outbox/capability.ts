import { type CapabilityParts, defineCapability } from '../capability.ts';
import type { StoredEvent } from '../domain/event-log.ts';
import { readGrants } from '../domain/grants.ts';
import type { NewOutboxItem, OutboxItem, OutboxSender, OutboxStore } from '../domain/outbox.ts';
import { allows, type Principal } from '../domain/principal.ts';
import { opensLate } from '../lib/once.ts';
import type { Dispatch } from './dispatch.ts';
import { approveItem } from './operations/approve-item.ts';
import { discardItem } from './operations/discard-item.ts';
import { listOutbox } from './operations/list-outbox.ts';
import { retryItem } from './operations/retry-item.ts';
import { showItem } from './operations/show-item.ts';
import type { OutboxParts, WaitForAttempt } from './ports.ts';
import { outboxStore } from './store.ts';

const DAY = 24 * 60 * 60 * 1000;
/** How long the outbox remembers idempotency keys, beyond the text of what was sent. */
const KEEP_KEYS_MS = 365 * DAY;

interface OutboxService {
  register(sender: () => Promise<OutboxSender>): void;
  /** Puts something into the outbox, and waits a few seconds for what becomes of it. */
  submit(outgoing: NewOutboxItem, signal: AbortSignal): Promise<OutboxItem>;
  /** The source is reached: what waits for it leaves now. */
  retryNow(through: string): void;
}

declare module '../capability.ts' {
  interface Services {
    outbox: OutboxService;
  }
}

interface OutboxSettings {
  policy: { keep_sent_days: number };
}

/** What waits to leave, for people: it has commands and routes, and no tools. */
export const outbox = defineCapability({
  name: 'outbox',
  invalidInput: 'VALIDATION_ERROR',
  combinedOnly: true,
  store: outboxStore,
  open({ store, events, settings, clock, log }: CapabilityParts<OutboxStore, OutboxSettings>) {
    const items = opensLate<OutboxStore>(store);
    const senders: (() => Promise<OutboxSender>)[] = [];
    const waitForAttempt: WaitForAttempt = async (begin, signal) => {
      const { createAttemptWaiter } = await import('./wait-for-attempt.ts');
      return createAttemptWaiter({ outbox: await store(), events: await events() })(begin, signal);
    };
    let dispatch: Dispatch | undefined;

    const service: OutboxService = {
      register: (sender) => void senders.push(sender),
      submit: (outgoing, signal) => waitForAttempt(() => items.add(outgoing), signal),
      retryNow: (through) =>
        void dispatch
          ?.retryNow(through)
          .catch((err: unknown) => log.warn({ err }, 'the outbox could not retry what waits for a source')),
    };
    return {
      operations: [listOutbox, showItem, approveItem, discardItem, retryItem],
      mayFollow,
      parts: { outbox: items, waitForAttempt } satisfies OutboxParts,
      service,
      async start() {
        const { createDispatch } = await import('./dispatch.ts');
        for (const item of await items.recover()) {
          log.warn({ outbox: item.id, source: item.through }, 'it is not known whether this was sent');
        }
        dispatch = createDispatch({
          outbox: items,
          events: await events(),
          senders: await Promise.all(senders.map((sender) => sender())),
          clock,
          log: log.child({ component: 'outbox' }),
        });
        await dispatch.start();
      },
      stop: async () => dispatch?.stop(),
      // What still has to leave keeps a daemon, though no client is there.
      keepsDaemonAlive: async () => (await items.list({ states: ['queued', 'sending'], limit: 1 })).length > 0,
      retention: [
        {
          what: 'outbox',
          async forget(now) {
            const { policy } = await settings();
            const content = now - policy.keep_sent_days * DAY;
            const { emptied, gone } = await items.forget({ content, rows: content - KEEP_KEYS_MS });
            return emptied + gone;
          },
        },
      ],
    };
  },
});

/** Events name the source and not the chat: a token that is confined to some chats of it sees none of them. */
function mayFollow(principal: Principal, { type, data: { source } }: StoredEvent): boolean {
  if (!type.startsWith('outbox.')) return true;
  const { everything, sources } = readGrants(principal);
  return allows(principal, 'outbox:read') && (everything || sources.get(String(source)) === '*');
}
