import type { Upstream } from '../upstream/upstream.ts';

const SUBSCRIBE_MS = 10_000;

/** The resources of a server that clients follow, each counted; followed again when the server was started again. */
export function createSubscribedResources(upstream: () => Upstream | undefined) {
  const counts = new Map<string, number>();

  return {
    has: (uri: string) => counts.has(uri),
    async add(uri: string): Promise<() => void> {
      const before = counts.get(uri) ?? 0;
      if (before === 0) await upstream()?.subscribe(uri, AbortSignal.timeout(SUBSCRIBE_MS));
      counts.set(uri, (counts.get(uri) ?? 0) + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (counts.get(uri) ?? 1) - 1;
        if (left > 0) return void counts.set(uri, left);
        counts.delete(uri);
        upstream()
          ?.unsubscribe(uri)
          .catch(() => {});
      };
    },
    /** A resource that cannot be followed any more does not prevent a start. */
    async renew(connected: Upstream): Promise<void> {
      await Promise.allSettled(
        [...counts.keys()].map((uri) => connected.subscribe(uri, AbortSignal.timeout(SUBSCRIBE_MS))),
      );
    },
  };
}
