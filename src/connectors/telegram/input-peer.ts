import type { tl } from '@mtcute/core';
import { inputPeerToPeer, toInputPeer } from '@mtcute/core/utils.js';
import { channelOf, idOf, type Peers } from './names.ts';

interface PeerParts {
  known: Peers;
  /** The library's own list. */
  storage: { peers: { getById(id: number): Promise<tl.TypeInputPeer | null> } };
}

/**
 * How Telegram wants a chat to be named: with the hash that it gave with it. The library finds a supergroup by a number
 * that can also be a user's, so what it finds is checked: a message must not go to another chat.
 */
export async function findInputPeer({ known, storage }: PeerParts, id: string): Promise<tl.TypeInputPeer | undefined> {
  if (!/^-?\d{1,16}$/.test(id)) return undefined;
  const seen = seenPeer(known, id);
  if (seen) return seen;
  const found = await storage.peers.getById(Number(id));
  return found && idOf(inputPeerToPeer(found)) === id ? found : undefined;
}

function seenPeer({ users, chats }: Peers, id: string): tl.TypeInputPeer | undefined {
  const channel = channelOf(id);
  if (!id.startsWith('-')) {
    const user = users.get(Number(id));
    return user?._ === 'user' && user.accessHash && !user.min ? toInputPeer(user) : undefined;
  }
  const chat = chats.get(channel ?? -Number(id));
  if (channel === undefined) return chat?._ === 'chat' ? toInputPeer(chat) : undefined;
  return chat?._ === 'channel' && chat.accessHash && !chat.min ? toInputPeer(chat) : undefined;
}
