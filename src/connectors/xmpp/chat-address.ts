import type { InboundChat, Sender } from '../../domain/chat.ts';
import { shownName } from '../../lib/shown-name.ts';
import type { Reference } from './convert.ts';
import { bareJid, normalJid, resourceOf } from './jid.ts';
import { NS } from './namespaces.ts';
import type { Element } from './xml.ts';

/** Context for interpreting messages. */
export interface OwnAddress {
  /** Own bare address. */
  self: string;
  ownName: string;
  /** The user's names for contacts. */
  nameOf(jid: string): string | undefined;
  room(jid: string): RoomView | undefined;
}

/** State of a joined room. */
export interface RoomView {
  jid: string;
  name: string;
  /** Own nickname in the room. */
  nick: string;
  /** Own occupant id, if the room has stable ids. */
  ownId?: string | undefined;
  givesOccupantIds: boolean;
  /** Whether the room assigns stable ids, by which messages are referred to. */
  stampsIds: boolean;
  participantCount: number;
}

/** Chat and sender of a message. */
export interface ChatAddress {
  self: string;
  chat: InboundChat;
  sender: Sender;
  isOwn: boolean;
  /** Sent by the room itself. */
  isRoomItself: boolean;
  /** Possible senders of a referenced message. */
  people: readonly string[];
  referTo(id: string, senders: readonly string[]): Reference;
}

export function placeOf(message: Element, ownAddress: OwnAddress): ChatAddress | undefined {
  const from = normalJid(message.attrs.from ?? ownAddress.self);
  const room = ownAddress.room(bareJid(from));
  if (message.attrs.type === 'groupchat') return room && inRoom(message, from, room, ownAddress);
  const isOwn = bareJid(from) === ownAddress.self;
  const peer = isOwn ? normalJid(message.attrs.to ?? ownAddress.self) : from;
  if (bareJid(peer) === '') return undefined;
  if (room && resourceOf(from) === '') return inRoom(message, from, room, ownAddress);
  return isPrivateInRoom(message, peer, ownAddress)
    ? inPrivate(peer, isOwn, ownAddress)
    : withPeer(bareJid(peer), isOwn, ownAddress);
}

function inRoom(message: Element, from: string, room: RoomView, { self }: OwnAddress): ChatAddress {
  const nick = resourceOf(from);
  const stated = message.getChild('occupant-id', NS.occupantId)?.attrs.id;
  const occupantId = room.givesOccupantIds && stated ? stated : undefined;
  const isOwn = occupantId !== undefined && room.ownId !== undefined ? occupantId === room.ownId : nick === room.nick;
  const { jid: id, name, participantCount } = room;
  return {
    self,
    chat: { id, name, type: 'group', participantCount },
    sender: nick === '' ? { id, name } : { id: occupantId ?? from, name: nick },
    isOwn: isOwn && nick !== '',
    isRoomItself: nick === '',
    people: [],
    referTo: (target, senders) =>
      room.stampsIds ? { by: 'archive', id: target } : { by: 'sender', id: target, senders },
  };
}

function withPeer(peer: string, isOwn: boolean, { self, ownName, nameOf }: OwnAddress): ChatAddress {
  const name = peer === self ? ownName : (nameOf(peer) ?? peer);
  const participantCount = peer === self ? 1 : 2;
  return direct({ id: peer, name, type: 'direct', participantCount }, { id: peer, name }, isOwn, { self, ownName });
}

/** A private chat with a room member, known only by nickname. */
function inPrivate(peer: string, isOwn: boolean, ownAddress: OwnAddress): ChatAddress {
  const nick = resourceOf(peer);
  const name = `${shownName(nick, /[()]/)} (${ownAddress.room(bareJid(peer))?.name ?? bareJid(peer)})`;
  return direct({ id: peer, name, type: 'direct', participantCount: 2 }, { id: peer, name: nick }, isOwn, ownAddress);
}

function direct(
  chat: InboundChat,
  other: Sender,
  isOwn: boolean,
  { self, ownName }: Pick<OwnAddress, 'self' | 'ownName'>,
): ChatAddress {
  return {
    self,
    chat,
    sender: isOwn ? { id: self, name: ownName } : other,
    isOwn,
    isRoomItself: false,
    people: [other.id, self],
    referTo: (id, senders) => ({ by: 'sender', id, senders }),
  };
}

function isPrivateInRoom(message: Element, peer: string, { room }: OwnAddress): boolean {
  if (resourceOf(peer) === '') return false;
  return room(bareJid(peer)) !== undefined || message.getChild('x', NS.mucUser) !== undefined;
}
