import { getMarkedPeerId, Long, type tl } from '@mtcute/core';
import type { BaseTelegramClient } from '@mtcute/core/client.js';
import type { InboundEvent } from '../../domain/chat.ts';
import type { Timeline } from '../connector.ts';
import type { Call } from './client.ts';
import type { KnownPeers } from './known-peers.ts';
import { chatOf, idOf } from './names.ts';

const PAGE = 100;
/** Accounts with more chats than this have their latest ones followed. */
const MAX_PAGES = 50;

export interface DialogPage {
  events: InboundEvent[];
  timelines: Timeline[];
  /** Supergroups and channels, with how many updates each has had. */
  channels: { id: number; pts: number }[];
}

interface DialogParts {
  api: Pick<BaseTelegramClient, 'storage'>;
  call: Call;
  self: string;
  known: KnownPeers;
}

/** The chats of the account, most recently active first, in pages. */
export async function* dialogPages({ api, call, self, known }: DialogParts): AsyncGenerator<DialogPage> {
  const seen = new Set<string>();
  let offset: { offsetDate: number; offsetId: number; offsetPeer: tl.TypeInputPeer } | undefined = {
    offsetDate: 0,
    offsetId: 0,
    offsetPeer: { _: 'inputPeerEmpty' },
  };
  for (let page = 0; offset && page < MAX_PAGES; page++) {
    const answer: tl.messages.TypeDialogs = await call({
      _: 'messages.getDialogs',
      // Pinned ones come first on the first page, whatever their date.
      excludePinned: page > 0,
      ...offset,
      limit: PAGE,
      hash: Long.ZERO,
    });
    if (answer._ === 'messages.dialogsNotModified') return;
    known.learn(answer);
    const dialogs: tl.RawDialog[] = answer.dialogs
      .filter((dialog) => dialog._ === 'dialog')
      .filter(({ peer }) => !seen.has(idOf(peer)));
    for (const { peer } of dialogs) seen.add(idOf(peer));
    yield pageOf(
      dialogs.filter(({ peer }) => isOpen(peer, known)),
      known,
      self,
    );
    offset = answer._ === 'messages.dialogs' ? undefined : await after(dialogs.at(-1), answer.messages, api);
  }
}

function pageOf(dialogs: readonly tl.RawDialog[], known: KnownPeers, self: string): DialogPage {
  const chats = dialogs.map(({ peer }) => chatOf(peer, known, self));
  return {
    events: chats.map((chat) => ({ kind: 'chat', chat })),
    timelines: chats.map(({ id }) => ({ id, chat: id })),
    channels: dialogs.flatMap(({ peer, pts }) =>
      peer._ === 'peerChannel' && pts !== undefined ? [{ id: peer.channelId, pts }] : [],
    ),
  };
}

/** Groups that the user has left or that became supergroups cannot be read, or would have the name of another chat. */
function isOpen(peer: tl.TypePeer, { chats }: KnownPeers): boolean {
  if (peer._ === 'peerUser') return true;
  const chat = chats.get(peer._ === 'peerChat' ? peer.chatId : peer.channelId);
  if (!chat || (chat._ !== 'chat' && chat._ !== 'channel')) return false;
  return !chat.left && !(chat._ === 'chat' && chat.deactivated);
}

async function after(
  last: tl.RawDialog | undefined,
  messages: readonly tl.TypeMessage[],
  { storage }: DialogParts['api'],
) {
  if (!last) return undefined;
  const id = idOf(last.peer);
  const top = messages.find(
    (message) => message._ !== 'messageEmpty' && message.id === last.topMessage && idOf(message.peerId) === id,
  );
  const offsetPeer = await storage.peers.getById(getMarkedPeerId(last.peer));
  if (!offsetPeer || !top || top._ === 'messageEmpty') return undefined;
  return { offsetDate: top.date, offsetId: last.topMessage, offsetPeer };
}
