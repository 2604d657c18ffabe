import { AppError } from '../domain/errors.ts';
import { isRecord } from './envelope.ts';
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
    count: () => held.size,
    close(): void {
      held.clear();
      stop?.();
      stop = undefined;
    },
  };
}

/** Each is compared with everything that changes; whoever wants to hear of more subscribes to a pattern. */
const MOST_URIS = 1_000;

/** The URIs that a `subscriptions/listen` names. What else may be wrong with its filter the SDK says. */
export function listenedUris(params: Record<string, unknown> | undefined): readonly string[] {
  const filter = isRecord(params?.notifications) ? params.notifications : {};
  const uris = filter.resourceSubscriptions ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw new AppError('VALIDATION_ERROR', `${FIELD} must be a list of URIs.`, { field: FIELD });
  }
  checkCount(uris.length);
  return uris;
}

const FIELD = 'notifications.resourceSubscriptions';

/** Throws over the number of subscriptions that one client may have. */
export function checkCount(count: number): void {
  if (count <= MOST_URIS) return;
  throw new AppError('VALIDATION_ERROR', `A client may be subscribed to at most ${MOST_URIS} URIs.`, {
    hint: 'Subscribe to a pattern, such as messages://telegram/*.',
  });
}

/** What travels beside the notification: which resource it was, and the event itself. */
export function updateMeta(update: ChangedResource): Record<string, unknown> {
  return {
    'switchboard/uri': update.uri,
    'switchboard/event': { number: update.number, ...update.data },
  };
}
