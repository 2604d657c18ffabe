import { setTimeout as wait } from 'node:timers/promises';
import type { HistoryPage, Host } from '../connector.ts';
import { HomeserverError, type MatrixClient } from './client.ts';
import { historyPage } from './history.ts';
import type { ListedRooms } from './listed-rooms.ts';
import type { Reactions } from './reactions.ts';
import { learnState, learnSummary, type MatrixRoom, type MatrixRooms } from './rooms.ts';
import {
  directRoomsIn,
  type RoomEvent,
  readDirectInvitation,
  readEvents,
  readRoom,
  readSync,
  type Sync,
} from './schema.ts';
import type { MatrixSession } from './session.ts';
import { FIRST_FILTER, LIVE_FILTER } from './sync-filter.ts';
import type { Translator } from './translate.ts';

export interface LiveParts {
  ask: MatrixClient;
  session: MatrixSession;
  rooms: MatrixRooms;
  translator: Translator;
  reactions: Pick<Reactions, 'save'>;
  host: Host;
  signal: AbortSignal;
  /** Rooms of the settings. */
  listed: Pick<ListedRooms, 'join' | 'left' | 'replaced'>;
}

/** From one place of the sync to the next. */
interface Step {
  since: string | undefined;
  next: string;
  /** The user has left the room. */
  isOver?: boolean;
}

/** Timeout of a long poll. */
const POLL_MS = 30_000;
const POLL_LIMIT_MS = POLL_MS + 60_000;
/** The first response of a large account takes long. */
const FIRST_LIMIT_MS = 600_000;
/** Minimum interval between polls, if a homeserver answers immediately without events. */
const SHORTEST_POLL_MS = 1_000;
const GAP_PAGE = 200;

/** The sync loop. Each response is stored before the next one is requested. */
export function createLive({ ask, session, rooms, translator, reactions, host, signal, listed }: LiveParts) {
  const key = `since ${session.user}`;
  const followed = new Set<string>();
  /** Rooms that the user has left since they are followed, and where. */
  const left = new Map<string, string>();
  let present = '';
  let isFirst = true;

  function sync(query: Record<string, string | number | boolean>, limitMs: number): Promise<Sync> {
    // Syncing does not set the user's presence to online.
    const whole = { ...query, set_presence: 'offline' };
    return ask({ path: ['sync'], query: whole, token: session.token, signal, limitMs }).then(readSync);
  }

  /** Continues where the last sync ended, with the full state of all rooms, which is kept in memory only. */
  async function begin(): Promise<void> {
    const since = await host.memory.get(key);
    if (since !== undefined) {
      try {
        const query = { filter: LIVE_FILTER, since, full_state: true, timeout: 0 };
        return await take(await sync(query, FIRST_LIMIT_MS), since);
      } catch (error) {
        // The sync token is no longer valid; missed messages are then fetched as history.
        if (!(error instanceof HomeserverError) || error.status !== 400) throw error;
      }
    }
    await take(await sync({ filter: FIRST_FILTER, timeout: 0 }, FIRST_LIMIT_MS), undefined);
  }

  async function step(): Promise<void> {
    const [began, since] = [performance.now(), present];
    await take(await sync({ filter: LIVE_FILTER, since, timeout: POLL_MS }, POLL_LIMIT_MS), since);
    if (present === since && performance.now() - began < SHORTEST_POLL_MS) {
      await wait(SHORTEST_POLL_MS, undefined, { signal });
    }
  }

  async function take(answer: Sync, since: string | undefined): Promise<void> {
    const next = answer.next_batch;
    const { join = {}, leave = {}, invite = {} } = answer.rooms ?? {};
    const direct = directRoomsIn(answer.account_data?.events);
    if (direct) rooms.setDirect(direct);
    for (const [id, room] of Object.entries(invite)) rooms.setInvitation(id, readDirectInvitation(room, session.user));
    const touched = [...Object.keys(join), ...Object.keys(leave)];
    for (const id of touched) rooms.setInvitation(id, undefined);
    for (const [id, synced] of Object.entries(join)) await takeRoom(rooms.add(id), synced, { since, next });
    for (const [id, synced] of Object.entries(leave)) {
      if (rooms.get(id) || wasIn(synced, session.user))
        await takeRoom(rooms.add(id), synced, { since, next, isOver: true });
    }
    const news = rooms.news(direct ? rooms.ids() : touched);
    if (news.length > 0) await host.accept(news);
    for (const id of Object.keys(leave)) {
      rooms.remove(id);
      if (followed.has(id)) left.set(id, next);
    }
    await reactions.save(host.memory);
    // Stored only after everything before it is stored.
    if (next !== since) await host.memory.set(key, next);
    present = next;
    if (!isFirst) follow(touched);
    Object.keys(leave).forEach(listed.left);
    if (Object.keys(invite).length > 0) listed.join();
  }

  async function takeRoom(room: MatrixRoom, answer: unknown, step: Step): Promise<void> {
    const synced = readRoom(answer);
    learnSummary(room, synced);
    for (const event of readEvents(synced.state?.events)) learnState(room, event);
    const events = readEvents(synced.timeline?.events);
    // Messages from before the user joined, or before the source was added, are history, which is fetched once.
    const joined = followed.has(room.id) ? -1 : events.findLastIndex((event) => isJoining(event, session.user));
    const isNews = step.since === undefined ? events.length : joined + 1;
    for (const event of events.slice(0, isNews)) learnState(room, event);
    const missedFrom = left.get(room.id) ?? (synced.timeline?.limited && joined === -1 ? step.since : undefined);
    // What was missed while the source was disconnected is fetched as history too, but not in a room that was left since.
    if (missedFrom !== undefined && (!isFirst || step.isOver)) await closeGap(room, missedFrom, step.next);
    left.delete(room.id);
    const inbound = translator.live(room, events.slice(isNews));
    if (room.isReplaced) listed.replaced(room.id);
    if (inbound.length === 0) return;
    await host.accept([...rooms.news([room.id]), ...inbound], { timeline: room.id, cursor: step.next });
  }

  /** Fetches what the sync does not contain: it was limited, or the user was not in the room. */
  async function closeGap(room: MatrixRoom, since: string, next: string): Promise<void> {
    const parts = { ask, token: session.token, translator, present: next };
    for (let from: string | undefined = since, end = false; !end; ) {
      const request = { timeline: room.id, direction: 'newer', limit: GAP_PAGE, signal } as const;
      const page: HistoryPage = await historyPage(parts, { ...request, ...(from === undefined ? {} : { from }) });
      if (page.events.length > 0) {
        const position = page.newest === undefined ? undefined : { timeline: room.id, cursor: page.newest };
        await host.accept([...rooms.news([room.id]), ...page.events], position);
      }
      end = page.end || page.newest === from;
      from = page.newest;
    }
  }

  function follow(ids: Iterable<string>): void {
    const fresh = [...ids].filter((id) => rooms.isConversation(id) && !followed.has(id));
    for (const id of fresh) followed.add(id);
    if (fresh.length > 0) host.connected(fresh.map((id) => ({ id, chat: id })));
  }

  return {
    begin: async () => {
      await begin();
      isFirst = false;
      host.connected();
      follow(rooms.ids());
    },
    step,
    /** The position up to which everything was delivered. */
    present: () => present,
  };
}

/** Whether the user has left this room, and not only declined an invitation to it. */
function wasIn(answer: unknown, me: string): boolean {
  const ours = readEvents(readRoom(answer).timeline?.events).filter(
    ({ type, state_key: user }) => type === 'm.room.member' && user === me,
  );
  return ours.some(({ content, unsigned }) =>
    [content, unsigned?.prev_content].some((at) => at?.membership === 'join'),
  );
}

/** Whether this event is our own join; the same event type also reports changed names. */
function isJoining({ type, state_key: user, content, unsigned }: RoomEvent, me: string): boolean {
  if (type !== 'm.room.member' || user !== me || content.membership !== 'join') return false;
  return unsigned?.prev_content?.membership !== 'join';
}
