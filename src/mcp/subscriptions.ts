import { matchesSubscription } from './patterns.ts';
import type { ChangedResource, Registry } from './registry.ts';

/** Told about a resource that changed, once for each of its patterns that fit. */
export type Deliver = (pattern: string, update: ChangedResource) => void;

/**
 * The URIs and patterns one connection is subscribed to. The same pattern may be held several times (by several
 * listen requests); it is delivered once.
 */
export function createSubscriptions(registry: Registry, deliver: Deliver) {
  const held = new Map<string, number>();
  let stop: (() => void) | undefined;

  function onUpdate(update: ChangedResource): void {
    for (const pattern of held.keys()) {
      if (matchesSubscription(pattern, update)) deliver(pattern, update);
    }
  }

  return {
    add(pattern: string): void {
      held.set(pattern, (held.get(pattern) ?? 0) + 1);
      stop ??= registry.onUpdate(onUpdate);
    },
    remove(pattern: string): void {
      const count = held.get(pattern) ?? 0;
      if (count > 1) held.set(pattern, count - 1);
      else held.delete(pattern);
      if (held.size === 0) this.close();
    },
    has: (pattern: string) => held.has(pattern),
    close(): void {
      held.clear();
      stop?.();
      stop = undefined;
    },
  };
}

/** What travels beside the notification: which resource it was, and the event itself. */
export function updateMeta(update: ChangedResource): Record<string, unknown> {
  return {
    'switchboard/uri': update.uri,
    'switchboard/event': { number: update.number, ...update.data },
  };
}
