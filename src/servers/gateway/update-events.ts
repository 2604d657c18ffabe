import type { ResourceUpdate } from '../../capability.ts';
import type { StoredEvent } from '../../domain/event-log.ts';
import type { ServerId } from '../../domain/server-config.ts';

const EVENT = 'server.resource_updated';
/** A resource that changes all the time is reported so often. */
const QUIET_MS = 250;

/** Changes of resources that clients follow become events, so that a client that was away learns of them. */
export function createUpdateEvents(write: (server: ServerId, uri: string) => Promise<void>) {
  /** What was reported a moment ago, and whether it has changed again since. */
  const reported = new Map<string, { hasChanged: boolean }>();

  function report(server: ServerId, uri: string, key: string): void {
    const entry = { hasChanged: false };
    reported.set(key, entry);
    write(server, uri).catch(() => {});
    setTimeout(() => {
      reported.delete(key);
      if (entry.hasChanged) report(server, uri, key);
    }, QUIET_MS).unref();
  }

  return {
    /** The first change is written at once, further ones together. */
    add(server: ServerId, uri: string): void {
      const key = `${server} ${uri}`;
      const entry = reported.get(key);
      if (entry) entry.hasChanged = true;
      else report(server, uri, key);
    },
    resourcesOf({ type, data }: StoredEvent): readonly ResourceUpdate[] {
      const { uri, server } = data;
      if (type !== EVENT || typeof uri !== 'string' || typeof server !== 'string') return [];
      return [{ uri, fields: { server }, data: { type, server } }];
    },
  };
}
