import type { Log } from '../../lib/log.ts';
import { HomeserverError, type MatrixClient } from './client.ts';
import { readJoined } from './schema.ts';

interface Parts {
  ask: MatrixClient;
  token: string;
  /** Aliases or ids of rooms in the settings. */
  listed: readonly string[] | undefined;
  log: Log;
  signal: AbortSignal;
}

/** Joins the rooms in the settings and no others: an invitation alone does not lead to a join. */
export function createListedRooms({ ask, token, listed = [], log, signal }: Parts) {
  const missing = new Set(listed);
  let joining: Promise<void> = Promise.resolve();

  async function join(room: string): Promise<void> {
    if (signal.aborted) return;
    try {
      readJoined(await ask({ method: 'POST', path: ['join', room], body: {}, token, signal }));
      missing.delete(room);
    } catch (err) {
      if (signal.aborted) return;
      const refused = err instanceof HomeserverError && err.status < 500;
      log.warn({ err, room }, refused ? 'the homeserver refused to join a room' : 'a room was not joined');
    }
  }

  async function joinMissing(): Promise<void> {
    for (const room of missing) await join(room);
  }

  return {
    /** Joins the missing rooms one after the other. A room on another server may take a minute. */
    join(): void {
      joining = joining.then(joinMissing);
    },
    settled: () => joining,
  };
}
