import type { ResourceUpdate } from '../../capability.ts';
import type { StoredEvent } from '../../domain/event-log.ts';
import type { ServerId } from '../../domain/server-config.ts';

const EVENT = 'server.resource_updated';
/** A resource that changes all the time is reported so often. */
const QUIET_MS = 250;

/** Changes of resources that clients follow become events, so that a client that was away learns of them. */
export function createUpdateEvents(write: (server: ServerId, uri: string) => Promise<void>) {
  const waiting = new Map<string, NodeJS.Timeout | undefined>();

  /** The first change is written at once, further ones together. */
  function report(server: ServerId, uri: string, key: string): void {
    write(server, uri).catch(() => {});
    waiting.set(
      key,
      setTimeout(() => waiting.delete(key), QUIET_MS),
    );
  }

  return {
    add(server: ServerId, uri: string): void {
      const key = `${server} ${uri}`;
      if (!waiting.has(key)) return report(server, uri, key);
      clearTimeout(waiting.get(key));
      const later = setTimeout(() => report(server, uri, key), QUIET_MS);
      waiting.set(key, later.unref());
    },
    resourcesOf({ type, data }: StoredEvent): readonly ResourceUpdate[] {
      const { uri, server } = data;
      if (type !== EVENT || typeof uri !== 'string' || typeof server !== 'string') return [];
      return [{ uri, fields: { server }, data: { type, server } }];
    },
  };
}
