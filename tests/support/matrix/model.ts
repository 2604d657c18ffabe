import { randomUUID } from 'node:crypto';

export type Content = Record<string, unknown>;

/** An event as the homeserver stores it. `stream` is its position among all events of the homeserver. */
export interface StoredEvent {
  stream: number;
  type: string;
  event_id: string;
  sender: string;
  origin_server_ts: number;
  content: Content;
  state_key?: string;
  redacts?: string;
  unsigned: Content;
  /** The sender's device and transaction id; only that device sees it. */
  transaction?: { device: string; id: string };
}

export interface StoredRoom {
  id: string;
  events: StoredEvent[];
  /** All state events ever, oldest first. */
  state: StoredEvent[];
}

interface User {
  id: string;
  password: string;
  displayname: string;
  account: Map<string, { stream: number; content: Content }>;
}

interface NewEvent {
  type: string;
  sender: string;
  content: Content;
  state_key?: string;
  redacts?: string;
  at?: number;
  transaction?: { device: string; id: string };
}

interface NewRoom {
  name?: string;
  alias?: string;
  members?: readonly string[];
  content?: Content;
}

export type Model = ReturnType<typeof createModel>;

/** Users, rooms and events of one homeserver. */
export function createModel(serverName: string) {
  const users = new Map<string, User>();
  const rooms = new Map<string, StoredRoom>();
  const aliases = new Map<string, string>();
  const listeners = new Set<() => void>();
  let stream = 0;

  function changed(): void {
    for (const tell of [...listeners]) tell();
  }

  function room(id: string): StoredRoom {
    const found = rooms.get(id);
    if (!found) throw new Error(`there is no room ${id}`);
    return found;
  }

  function append(roomId: string, { at = Date.now(), ...event }: NewEvent): StoredEvent {
    const { events, state } = room(roomId);
    const former = event.state_key === undefined ? undefined : stateAt(roomId, event.type, event.state_key);
    const stored: StoredEvent = {
      ...event,
      stream: ++stream,
      event_id: `$${randomUUID()}`,
      origin_server_ts: at,
      unsigned: former ? { prev_content: former.content } : {},
    };
    events.push(stored);
    if (event.state_key !== undefined) state.push(stored);
    if (event.redacts !== undefined) redact(room(roomId), event.redacts, stored);
    changed();
    return stored;
  }

  function stateAt(roomId: string, type: string, key: string, until = stream): StoredEvent | undefined {
    return room(roomId).state.findLast(
      (event) => event.type === type && event.state_key === key && event.stream <= until,
    );
  }

  /** The full state of a room at a position. */
  function wholeState(roomId: string, until = stream): StoredEvent[] {
    const current = new Map<string, StoredEvent>();
    for (const event of room(roomId).state) {
      if (event.stream <= until) current.set(JSON.stringify([event.type, event.state_key]), event);
    }
    return [...current.values()];
  }

  function membership(roomId: string, user: string, until = stream): unknown {
    return stateAt(roomId, 'm.room.member', user, until)?.content.membership;
  }

  function setMembership(roomId: string, user: string, kind: 'join' | 'leave' | 'invite', by = user): void {
    const displayname = users.get(user)?.displayname;
    const content = { membership: kind, ...(displayname === undefined ? {} : { displayname }) };
    append(roomId, { type: 'm.room.member', state_key: user, sender: by, content });
  }

  return {
    users,
    rooms,
    aliases,
    room,
    append,
    stateAt,
    wholeState,
    membership,
    setMembership,
    now: () => stream,
    members: (roomId: string, kind: string) =>
      wholeState(roomId)
        .filter(({ type, content }) => type === 'm.room.member' && content.membership === kind)
        .map(({ state_key: user = '' }) => user),
    addUser(name: string, password: string, displayname: string): string {
      const id = `@${name}:${serverName}`;
      users.set(id, { id, password, displayname, account: new Map() });
      return id;
    },
    setAccountData(user: string, type: string, content: Content): void {
      users.get(user)?.account.set(type, { stream: ++stream, content });
      changed();
    },
    createRoom(creator: string, { name, alias, members = [], content = {} }: NewRoom = {}): string {
      const id = `!${randomUUID().slice(0, 18)}:${serverName}`;
      rooms.set(id, { id, events: [], state: [] });
      const set = (type: string, value: Content) =>
        append(id, { type, state_key: '', sender: creator, content: value });
      set('m.room.create', { room_version: '11', ...content });
      setMembership(id, creator, 'join');
      if (name !== undefined) set('m.room.name', { name });
      if (alias !== undefined) {
        aliases.set(alias, id);
        set('m.room.canonical_alias', { alias });
      }
      for (const member of members) setMembership(id, member, 'join');
      return id;
    },
    /** Called for every event, until it is removed. */
    onChange(tell: () => void): () => void {
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
  };
}

/** Redacted events lose their content immediately, for every later request. */
function redact({ events }: StoredRoom, target: string, by: StoredEvent): void {
  const event = events.find(({ event_id: id }) => id === target);
  if (!event || event.state_key !== undefined) return;
  event.content = {};
  event.unsigned = { redacted_because: { ...by } };
}
