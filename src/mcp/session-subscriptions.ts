import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { resumeAfter } from './patterns.ts';
import type { Subscription } from './registry.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { checkCount, createSubscriptions, type SubscriberParts, updateMeta } from './subscriptions.ts';

export interface SessionSubscriptionsParts extends SubscriberParts {
  keeper: Pick<SessionKeeper, 'current' | 'subscribe' | 'unsubscribe'>;
  send(message: JSONRPCMessage): Promise<void>;
  /** The client has been notified of everything up to this event. */
  onNotified?: ((event: number) => void) | undefined;
}

/** What the client of a session is subscribed to by `resources/subscribe`; kept with the session over a restart. */
export function createSessionSubscriptions(parts: SessionSubscriptionsParts) {
  const { keeper: session, send, onNotified, subscribed, ...subscriber } = parts;
  const { registry, principal } = subscriber;
  /** Gives back what each subscription counts. */
  const releases = new Map<string, () => void>();

  // Before 2026-07-28 the notification names the resource itself; since then what the client subscribed to.
  const subscriptions = createSubscriptions({
    ...subscriber,
    deliver: async (_, update) => {
      await notify({ uri: update.uri, _meta: updateMeta(update) });
      reportNotified(update.number);
    },
    onCaughtUp: reportNotified,
  });

  function notify(params: { uri: string; _meta?: Record<string, unknown> }): Promise<void> {
    return send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
  }

  /** Not while missed events are replayed: newer ones may have been sent before them. */
  function reportNotified(event: number): void {
    if (!subscriptions.isReplaying()) onNotified?.(event);
  }

  /** Events may have been missed: the client is to read the resource again. */
  function repeatUpdate(uri: string): void {
    notify({ uri }).catch(() => {});
  }

  function add(pattern: string, subscription: Pick<Subscription, 'follows' | 'after' | 'release'>): void {
    if (releases.has(pattern)) subscription.release?.();
    else releases.set(pattern, releaseBoth(subscribed.take(principal), subscription));
    subscriptions.add(pattern, subscription);
  }

  /** Continues a subscription of an earlier process, after the last event the client got, if that is known and kept. */
  async function resume(pattern: string, after: number | undefined): Promise<void> {
    const check = (uri: string) => registry.checkSubscription(uri, { principal, era: 'legacy' }).catch(() => undefined);
    const resumed = after === undefined ? undefined : await check(resumeAfter(pattern, after));
    // A pattern is resolved again; if that fails, it is used literally.
    const found = resumed ?? (await check(pattern));
    const isWanted = session.current()?.subscriptions.includes(pattern);
    if (isWanted && !subscriptions.has(pattern)) add(pattern, found ?? { follows: [pattern] });
    if (!resumed) repeatUpdate(pattern);
  }

  return {
    /** Subscribing again with `after` replays what was missed; without it, it changes nothing. */
    subscribe(subscription: Subscription, newest: number): void {
      const { pattern, after } = subscription;
      const isNew = !subscriptions.has(pattern);
      if (!isNew && after === undefined) return subscription.release?.();
      checkCount(subscriptions.count() + (isNew ? 1 : 0));
      add(pattern, subscription);
      // A client that is new to it has missed nothing.
      if (after === undefined) reportNotified(newest);
      session.subscribe(pattern);
    },
    unsubscribe(pattern: string): void {
      subscriptions.remove(pattern);
      releases.get(pattern)?.();
      releases.delete(pattern);
      session.unsubscribe(pattern);
    },
    resumeAll(after: number | undefined): void {
      for (const pattern of session.current()?.subscriptions ?? [])
        resume(pattern, after).catch((err: unknown) => parts.log.warn({ err }, 'a subscription could not be resumed'));
    },
    repeatUpdates(): void {
      for (const uri of session.current()?.subscriptions ?? []) repeatUpdate(uri);
    },
    close(): void {
      subscriptions.close();
      for (const release of releases.values()) release();
      releases.clear();
    },
  };
}

function releaseBoth(release: () => void, subscription: Pick<Subscription, 'release'>): () => void {
  return () => {
    release();
    subscription.release?.();
  };
}
