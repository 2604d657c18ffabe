import type { tl } from '@mtcute/core';
import type { Peers } from './names.ts';

const MAX_PEERS = 50_000;

/** The users and chats that were seen: an update may refer to one that came with an earlier answer. */
export function createKnownPeers() {
  const users = new Map<number, tl.TypeUser>();
  const chats = new Map<number, tl.TypeChat>();

  return {
    users,
    chats,
    learn(seen: { users: Iterable<tl.TypeUser>; chats: Iterable<tl.TypeChat> }): void {
      for (const user of seen.users) remember(users, user);
      for (const chat of seen.chats) remember(chats, chat);
    },
  };
}

export type KnownPeers = Peers & ReturnType<typeof createKnownPeers>;

/** The latest are kept. An abridged entry does not replace a complete one. */
function remember<Peer extends tl.TypeUser | tl.TypeChat>(known: Map<number, Peer>, peer: Peer): void {
  const former = known.get(peer.id);
  if (former && 'min' in peer && peer.min && !('min' in former && former.min)) return;
  known.delete(peer.id);
  known.set(peer.id, peer);
  const [oldest] = known.keys();
  if (known.size > MAX_PEERS && oldest !== undefined) known.delete(oldest);
}
