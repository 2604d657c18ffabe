import { backoffDelay } from '../../lib/backoff.ts';
import type { Log } from '../../lib/log.ts';
import { HomeserverError, type MatrixClient } from './client.ts';
import type { MatrixRooms } from './rooms.ts';
import { readJoined } from './schema.ts';

interface Parts {
  ask: MatrixClient;
  token: string;
  /** Aliases or ids of rooms in the settings. */
  listed: readonly string[] | undefined;
  rooms: Pick<MatrixRooms, 'get'>;
  log: Log;
  signal: AbortSignal;
}

/** What is refused may be permitted later, also without an invitation. */
const RETRY = { firstMs: 60_000, longestMs: 60 * 60_000 };

/** Joins the rooms in the settings and no others: an invitation alone does not lead to a join. */
export function createListedRooms({ ask, token, listed = [], rooms, log, signal }: Parts) {
  /** Why each room is not joined; empty before the first attempt. */
  const missing = new Map(listed.map((room) => [room, '']));
  /** The ids of joined rooms. */
  const ids = new Map<string, string>();
  let joining: Promise<void> = Promise.resolve();
  let retries = 0;
  let timer: NodeJS.Timeout | undefined;

  async function join(room: string): Promise<void> {
    if (signal.aborted) return;
    try {
      const { room_id: id } = readJoined(await ask({ method: 'POST', path: ['join', room], body: {}, token, signal }));
      ids.set(room, id);
      if (rooms.get(id)?.isReplaced) missing.set(room, REPLACED);
      else missing.delete(room);
    } catch (err) {
      if (signal.aborted) return;
      const reason = reasonOf(err);
      missing.set(room, reason);
      log.warn({ err, room, reason }, 'a room was not joined');
    }
  }

  async function joinMissing(): Promise<void> {
    for (const room of [...missing.keys()]) await join(room);
    retryLater();
  }

  function retryLater(): void {
    if (signal.aborted || missing.size === 0 || timer) return;
    retries += 1;
    timer = setTimeout(
      () => {
        timer = undefined;
        joinAll();
      },
      backoffDelay(retries, RETRY),
    );
    timer.unref();
  }

  function joinAll(): void {
    joining = joining.then(joinMissing);
  }

  /** Whether it is a joined room of the settings, which is missing from now on. */
  function isLost(id: string, reason: string): boolean {
    const lost = listed.filter((room) => ids.get(room) === id && !missing.has(room));
    for (const room of lost) missing.set(room, reason);
    return lost.length > 0;
  }

  return {
    /** Joins the missing rooms one after the other. A room on another server may take a minute. */
    join: joinAll,
    /** The user is no longer in this room. */
    left(id: string): void {
      if (isLost(id, 'the user was removed from the room, or has left it')) retryLater();
    },
    /** The room was upgraded. Its address leads to the new one, sooner or later. */
    replaced(id: string): void {
      if (isLost(id, REPLACED)) joinAll();
    },
    /** The id of a joined room, by what it is called in the settings. */
    idOf: (room: string): string | undefined => ids.get(room),
    async settled(): Promise<void> {
      clearTimeout(timer);
      await joining;
      clearTimeout(timer);
    },
    problems: (): string[] =>
      [...missing].flatMap(([room, reason]) => (reason === '' ? [] : [`${room} was not joined: ${reason}.`])),
  };
}

export type ListedRooms = ReturnType<typeof createListedRooms>;

const REPLACED = 'the room was replaced by another one, which is to be listed instead';

/** The text of the homeserver is untrusted. */
function reasonOf(error: unknown): string {
  if (!(error instanceof HomeserverError)) return 'the homeserver did not answer';
  const { status } = error;
  if (status === 403) return 'the room is closed to this user, who needs an invitation or was banned';
  if (status === 404) return 'there is no such room';
  if (status === 400) return 'this is not the address of a room';
  if (status === 429) return 'the homeserver was asked too often';
  return 'its server cannot be reached at the moment';
}
