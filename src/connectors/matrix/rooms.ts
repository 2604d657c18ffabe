import type { InboundChat, InboundEvent } from '../../domain/chat.ts';
import type { RoomEvent, SyncedRoom } from './schema.ts';

/** What is known of a room the user is in. */
export interface MatrixRoom {
  id: string;
  name?: string | undefined;
  alias?: string | undefined;
  /** The first few members besides the user, for a name where nobody gave one. */
  heroes?: readonly string[] | undefined;
  joined?: number | undefined;
  /** Unknown until the whole state of the room has come. */
  encrypted?: boolean;
  /** A space is a folder of rooms; nobody speaks in it. */
  isSpace: boolean;
  /** By user: the name they go by in this room. Members come as they speak, so there may be more. */
  names: Map<string, string>;
}

export interface MatrixRooms {
  get(id: string): MatrixRoom | undefined;
  ids(): Iterable<string>;
  /** Whether the user is in it and people can speak there. */
  isConversation(id: string): boolean;
  add(id: string): MatrixRoom;
  remove(id: string): void;
  setDirect(rooms: ReadonlyMap<string, string>): void;
  /** What has changed since it was last asked, as news of chats. */
  news(ids: Iterable<string>): InboundEvent[];
}

const MAX_HEROES = 5;

export function createRooms(me: string): MatrixRooms {
  const rooms = new Map<string, MatrixRoom>();
  const told = new Map<string, string>();
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
    news: (ids) => [...ids].flatMap(change),
  };
}

/** Takes in how many are in a room, and who; a summary tells only what has changed. */
export function learnSummary(room: MatrixRoom, { summary }: SyncedRoom): void {
  const { 'm.heroes': heroes = room.heroes, 'm.joined_member_count': joined = room.joined } = summary ?? {};
  Object.assign(room, { heroes, joined });
}

/** Takes in an event of the room's state; others change nothing. */
export function learnState(room: MatrixRoom, { type, state_key: key, content }: RoomEvent): void {
  if (key === undefined) return;
  if (type === 'm.room.member') return learnMember(room, key, content);
  if (key !== '') return;
  if (type === 'm.room.name') room.name = text(content.name);
  if (type === 'm.room.canonical_alias') room.alias = text(content.alias);
  if (type === 'm.room.encryption') room.encrypted = true;
  if (type !== 'm.room.create') return;
  room.isSpace = content.type === 'm.space';
  room.encrypted ??= false;
}

/** Whoever has left keeps their name: what they said is still there. */
function learnMember(room: MatrixRoom, user: string, content: RoomEvent['content']): void {
  const name = memberName(user, content);
  if (name !== undefined) room.names.set(user, name);
}

/** What a member is called; those who are there without a name go by the first part of their address. */
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

/** As other clients name a room that has no name: after those who are in it. Nothing where nobody is known. */
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
