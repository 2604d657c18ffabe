import type { InboundChat, InboundEvent } from '../../domain/chat.ts';
import type { RoomEvent, SyncedRoom } from './schema.ts';

/** State of a joined room. */
export interface MatrixRoom {
  id: string;
  name?: string | undefined;
  alias?: string | undefined;
  /** Some members besides the user, for a name if the room has none. */
  heroes?: readonly string[] | undefined;
  joined?: number | undefined;
  /** Unknown until the full state of the room was received. */
  encrypted?: boolean;
  /** A space is a folder of rooms without messages. */
  isSpace: boolean;
  /** It was upgraded: its users go on in another room. */
  isReplaced?: boolean;
  /** Display names by user id. Members are loaded lazily, so there may be more. */
  names: Map<string, string>;
}

export interface MatrixRooms {
  get(id: string): MatrixRoom | undefined;
  ids(): Iterable<string>;
  /** Whether the user has joined it and it can have messages. */
  isConversation(id: string): boolean;
  /** The joined room with this address (`#room:example.org`). */
  withAlias(alias: string): string | undefined;
  add(id: string): MatrixRoom;
  remove(id: string): void;
  setDirect(rooms: ReadonlyMap<string, string>): void;
  addDirect(room: string, person: string): void;
  /** Joined rooms that are direct chats with this person. */
  directWith(person: string): readonly string[];
  /** An open invitation to a direct chat by this person. */
  invitationFrom(person: string): string | undefined;
  setInvitation(room: string, person: string | undefined): void;
  /** Changes since the last call, as chat events. */
  news(ids: Iterable<string>): InboundEvent[];
}

const MAX_HEROES = 5;

export function createRooms(me: string): MatrixRooms {
  const rooms = new Map<string, MatrixRoom>();
  const told = new Map<string, string>();
  /** Who invited the user to direct chats, by room. */
  const invitations = new Map<string, string>();
  let direct: ReadonlyMap<string, string> = new Map();

  function change(id: string): InboundEvent[] {
    const room = rooms.get(id);
    if (!room || room.isSpace) return [];
    const chat = toChat(room, direct.get(id), me);
    const words = JSON.stringify(chat);
    if (told.get(id) === words) return [];
    told.set(id, words);
    return [{ kind: 'chat', chat }];
  }

  return {
    get: (id) => rooms.get(id),
    ids: () => rooms.keys(),
    isConversation: (id) => rooms.get(id)?.isSpace === false,
    withAlias: (alias) => [...rooms.values()].find((room) => room.alias === alias && !room.isSpace)?.id,
    add(id) {
      const room = rooms.get(id) ?? { id, isSpace: false, names: new Map() };
      rooms.set(id, room);
      return room;
    },
    remove(id) {
      rooms.delete(id);
      told.delete(id);
    },
    setDirect(next) {
      direct = next;
    },
    addDirect(room, person) {
      direct = new Map([...direct, [room, person]]);
    },
    directWith: (person) =>
      [...direct].flatMap(([room, other]) => (other === person && rooms.get(room)?.isSpace === false ? [room] : [])),
    invitationFrom: (person) => [...invitations].find(([, other]) => other === person)?.[0],
    setInvitation(room, person) {
      if (person === undefined) invitations.delete(room);
      else invitations.set(room, person);
    },
    news: (ids) => [...ids].flatMap(change),
  };
}

/** Applies a room summary, which contains only changes. */
export function learnSummary(room: MatrixRoom, { summary }: SyncedRoom): void {
  const { 'm.heroes': heroes = room.heroes, 'm.joined_member_count': joined = room.joined } = summary ?? {};
  Object.assign(room, { heroes, joined });
}

/** Applies a state event; others change nothing. */
export function learnState(room: MatrixRoom, { type, state_key: key, content }: RoomEvent): void {
  if (key === undefined) return;
  if (type === 'm.room.member') return learnMember(room, key, content);
  if (key !== '') return;
  if (type === 'm.room.name') room.name = text(content.name);
  if (type === 'm.room.canonical_alias') room.alias = text(content.alias);
  if (type === 'm.room.encryption') room.encrypted = true;
  if (type === 'm.room.tombstone') room.isReplaced = true;
  if (type !== 'm.room.create') return;
  room.isSpace = content.type === 'm.space';
  room.encrypted ??= false;
}

/** Users who left keep their names, because their messages remain. */
function learnMember(room: MatrixRoom, user: string, content: RoomEvent['content']): void {
  const name = memberName(user, content);
  if (name !== undefined) room.names.set(user, name);
}

/** Display name of a member; without one, the local part of the user id. */
export function memberName(user: string, { displayname, membership }: RoomEvent['content']): string | undefined {
  return text(displayname) ?? (membership === 'join' ? localPart(user) : undefined);
}

/** `alice` of `@alice:example.org`. */
function localPart(user: string): string {
  return /^@([^:]+):/.exec(user)?.[1] ?? user;
}

function toChat(room: MatrixRoom, partner: string | undefined, me: string): InboundChat {
  const name = room.name ?? room.alias ?? nameFromMembers(room, partner, me);
  return {
    id: room.id,
    type: partner === undefined ? 'group' : 'direct',
    ...(name === undefined ? {} : { name }),
    ...(room.joined === undefined ? {} : { participantCount: room.joined }),
  };
}

/** The name of a room without a name: its members, as in other clients. Undefined if none is known. */
function nameFromMembers({ heroes, names, joined = 0 }: MatrixRoom, partner: string | undefined, me: string) {
  const others = (heroes ?? []).filter((user) => user !== me).slice(0, MAX_HEROES);
  const people = others.length === 0 && partner !== undefined ? [partner] : others;
  if (people.length === 0) return undefined;
  const listed = people.map((user) => names.get(user) ?? localPart(user));
  const unnamed = joined - 1 - people.length;
  if (unnamed > 0) return `${listed.join(', ')} and ${unnamed} ${unnamed === 1 ? 'other' : 'others'}`;
  return listed.length === 1 ? listed[0] : `${listed.slice(0, -1).join(', ')} and ${listed.at(-1)}`;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
