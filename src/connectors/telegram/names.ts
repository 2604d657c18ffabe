import type { tl } from '@mtcute/core';
import type { ChatType, InboundChat, Sender } from '../../domain/chat.ts';

/** Users and chats that came with an answer, by their bare ids. */
export interface Peers {
  users: ReadonlyMap<number, tl.TypeUser>;
  chats: ReadonlyMap<number, tl.TypeChat>;
}

/** Longer names are not allowed by Telegram. */
const MAX_NAME = 256;
/** Ids of channels are distinguished from those of groups by this offset, as everywhere around Telegram. */
const CHANNELS = 1_000_000_000_000;

/** Our id of a peer: `7` for a user, `-7` for a group, `-1000000000007` for a supergroup or channel. */
export function idOf(peer: tl.TypePeer): string {
  switch (peer._) {
    case 'peerUser':
      return String(peer.userId);
    case 'peerChat':
      return String(-peer.chatId);
    case 'peerChannel':
      return channelIdOf(peer.channelId);
  }
}

export function channelIdOf(channel: number): string {
  return String(-CHANNELS - channel);
}

/** The bare id of a supergroup or channel; undefined for others. */
export function channelOf(id: string): number | undefined {
  const number = Number(id);
  return number < -CHANNELS ? -CHANNELS - number : undefined;
}

export function senderOf(peer: tl.TypePeer, peers: Peers): Sender {
  const id = idOf(peer);
  const name =
    peer._ === 'peerUser'
      ? userName(peers.users.get(peer.userId))
      : titleOf(peers.chats.get(peer._ === 'peerChat' ? peer.chatId : peer.channelId));
  return { id, name: name || id };
}

/** A chat with all that is known of it. `self` is our own id: the chat with ourselves is for saved messages. */
export function chatOf(peer: tl.TypePeer, peers: Peers, self: string): InboundChat {
  const id = idOf(peer);
  if (peer._ === 'peerUser') {
    const name = id === self ? 'Saved Messages' : userName(peers.users.get(peer.userId));
    return { id, type: 'direct', ...(name ? { name } : {}) };
  }
  const chat = peers.chats.get(peer._ === 'peerChat' ? peer.chatId : peer.channelId);
  const name = titleOf(chat);
  const count = chat && 'participantsCount' in chat ? chat.participantsCount : undefined;
  return {
    id,
    ...(chat || peer._ === 'peerChat' ? { type: typeOf(chat) } : {}),
    ...(name ? { name } : {}),
    ...(count === undefined ? {} : { participantCount: count }),
  };
}

function typeOf(chat: tl.TypeChat | undefined): ChatType {
  return chat && 'broadcast' in chat && chat.broadcast ? 'channel' : 'group';
}

function titleOf(chat: tl.TypeChat | undefined): string {
  return chat && 'title' in chat ? cut(chat.title) : '';
}

export function userName(user: tl.TypeUser | undefined): string {
  if (user?._ !== 'user') return '';
  if (user.deleted) return 'Deleted Account';
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ');
  return cut(name || user.username || user.phone || '');
}

function cut(name: string): string {
  return name.slice(0, MAX_NAME).toWellFormed();
}
