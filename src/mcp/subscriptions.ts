import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { createQuota, type Quota } from '../domain/quota.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Log } from '../lib/log.ts';
import { subscriptionTo } from './patterns.ts';
import type { Caller, ChangedResource, Registry, Subscription } from './registry.ts';

/** The subscriber. */
export interface SubscriberParts {
  registry: Registry;
  principal: Principal;
  /** Id of the client's session, if it has one. */
  session?(): string | undefined;
  log: Log;
  /** How many URIs all clients are subscribed to. */
  subscribed: Quota;
  /** Resolves when the client can receive what was missed. */
  ready?(): Promise<void>;
}

interface SubscriptionsParts extends Omit<SubscriberParts, 'registry' | 'subscribed'> {
  registry: Pick<Registry, 'onUpdate' | 'missed'>;
  /** Sends an update, once for each matching subscription; resolves when more can be sent. */
  deliver(key: string, update: ChangedResource): Promise<void>;
  /** A subscription that resumed has been notified of everything up to this event. */
  onCaughtUp?(event: number): void;
}

interface SubscriptionState {
  fits(update: ChangedResource): boolean;
  /** Missed updates are being replayed from the log. Live ones are in the log, too, so only their number is noted. */
  replaying: boolean;
  /** The client has been notified of everything up to this event. */
  notifiedUpTo: number;
  /** The newest event seen during a replay. */
  newest: number;
  /** Updates that were not written yet. */
  pending: number;
}

/**
 * A subscription with more unwritten updates is replayed from the log once the client has read, instead of keeping
 * them in memory.
 */
const MAX_PENDING = 2_000;

/**
 * The subscriptions of one client, by key. A subscription that resumes gets what it missed in order and then live
 * updates, without gap or duplicate.
 */
export function createSubscriptions(parts: SubscriptionsParts) {
  const { registry, principal, log, ready } = parts;
  /** The last update that is being noted. */
  let noting: Promise<void> | undefined;
  const subscriptions = new Map<string, SubscriptionState>();
  let stop: (() => void) | undefined;

  /** Notes first what the client is about to read. Updates keep their order. */
  function deliver(key: string, update: ChangedResource): Promise<void> {
    if (!update.noteDelivery && !noting) return parts.deliver(key, update);
    const session = parts.session?.();
    const caller = { principal, ...(session === undefined ? {} : { session }) };
    const noted = (noting ?? Promise.resolve()).then(() => update.noteDelivery?.(caller));
    const settled = noted
      .catch((err: unknown) => log.warn({ err }, 'an update is not delivered, because it could not be noted'))
      .then(() => {
        if (noting === settled) noting = undefined;
      });
    noting = settled;
    return noted.then(() => parts.deliver(key, update));
  }

  function onUpdate(update: ChangedResource): void {
    for (const [key, entry] of subscriptions) {
      if (entry.replaying) entry.newest = update.number;
      else if (update.number > entry.notifiedUpTo && entry.fits(update)) notify(key, entry, update);
    }
  }

  function notify(key: string, entry: SubscriptionState, update: ChangedResource): void {
    if (entry.pending < MAX_PENDING) {
      entry.pending += 1;
      const leave = () => {
        entry.pending -= 1;
      };
      deliver(key, update).then(leave, leave);
      return;
    }
    Object.assign(entry, { replaying: true, notifiedUpTo: update.number - 1, newest: update.number });
    void replay(key, entry);
  }

  async function replay(key: string, entry: SubscriptionState): Promise<void> {
    try {
      // The subscribe request is answered first.
      await new Promise((resolve) => setImmediate(resolve));
      for (let more = true; more; ) {
        await ready?.();
        const { updates, upTo } = await registry.missed(entry.notifiedUpTo, principal);
        for (const update of updates) {
          if (subscriptions.get(key) !== entry) return;
          if (entry.fits(update)) await deliver(key, update);
        }
        more = upTo > entry.notifiedUpTo || entry.newest > upTo;
        entry.notifiedUpTo = upTo;
      }
    } catch (err) {
      log.warn({ err }, 'missed updates could not be replayed');
    } finally {
      entry.replaying = false;
    }
    parts.onCaughtUp?.(entry.notifiedUpTo);
  }

  return {
    add(key: string, { follows, after }: Pick<Subscription, 'follows' | 'after'>): void {
      const patterns = follows.map(subscriptionTo);
      const entry: SubscriptionState = {
        fits: (update) => patterns.some((fits) => fits(update)),
        replaying: after !== undefined,
        notifiedUpTo: after ?? 0,
        newest: 0,
        pending: 0,
      };
      subscriptions.set(key, entry);
      stop ??= registry.onUpdate(onUpdate, principal);
      if (entry.replaying) void replay(key, entry);
    },
    remove(key: string): void {
      subscriptions.delete(key);
      if (subscriptions.size === 0) this.close();
    },
    has: (key: string) => subscriptions.has(key),
    count: () => subscriptions.size,
    /** Whether missed updates of any subscription are being replayed. */
    isReplaying: () => [...subscriptions.values()].some(({ replaying }) => replaying),
    close(): void {
      subscriptions.clear();
      stop?.();
      stop = undefined;
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Each is matched with every change; for more resources there are patterns. */
const MAX_URIS = 1_000;
const SUBSCRIBED_LIMITS = { total: 20_000, perToken: 5_000 };

/** Counts the URIs that all clients of a process are subscribed to. */
export function createSubscribed(): Quota {
  return createQuota({ things: 'URIs', state: 'are subscribed to' }, () => SUBSCRIBED_LIMITS);
}

/** The URIs of a `subscriptions/listen`. The SDK checks the rest of its filter. */
export function listenedUris(params: Record<string, unknown> | undefined): readonly string[] {
  const filter = isRecord(params?.notifications) ? params.notifications : {};
  const uris = filter.resourceSubscriptions ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw new AppError('VALIDATION_ERROR', `${FIELD} must be a list of URIs.`, { field: FIELD });
  }
  checkCount(uris.length);
  return uris;
}

/** The subscriptions that a listen request means; duplicates are merged. */
export async function checkListened(
  registry: Registry,
  uris: readonly string[],
  caller: Caller,
): Promise<ReadonlyMap<string, Subscription>> {
  const different = [...new Set(uris)];
  const checked = await Promise.all(different.map((uri) => registry.checkSubscription(uri, caller)));
  return new Map(checked.map((subscription, index) => [different[index] ?? '', subscription]));
}

const FIELD = 'notifications.resourceSubscriptions';

/** Throws over the limit of subscriptions per client. */
export function checkCount(count: number): void {
  if (count <= MAX_URIS) return;
  throw new AppError('VALIDATION_ERROR', `A client may be subscribed to at most ${MAX_URIS} URIs.`, {
    hint: 'Subscribe to a pattern, such as messages://telegram/*.',
  });
}

/** Metadata of a notification: the resource and the event. */
export function updateMeta(update: ChangedResource): Record<string, unknown> {
  return {
    'switchboard/uri': update.uri,
    'switchboard/event': { number: update.number, ...update.data },
  };
}
