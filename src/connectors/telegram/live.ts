import type { RawUpdateInfo, tl } from '@mtcute/core';
import type { InboundEvent } from '../../domain/chat.ts';
import type { Host } from '../connector.ts';
import { type Translation, toEdit, toEvents } from './convert.ts';
import { boxOf, cursorOf, type Epochs } from './epochs.ts';
import type { KnownPeers } from './known-peers.ts';
import { channelIdOf, idOf } from './names.ts';
import type { createReactions } from './reactions.ts';
import type { UpdateState } from './update-state.ts';

interface LiveParts {
  host: Host;
  self: string;
  known: KnownPeers;
  epochs: Epochs;
  state: UpdateState;
  reactions: ReturnType<typeof createReactions>;
  /** A message arrived in this chat, which may be a new one. */
  onChat(chat: string): void;
}

/** Passes updates on, in their order. */
export function createLive({ host, self, known, epochs, state, reactions, onChat }: LiveParts) {
  const translation: Translation = { self, peers: known };

  function accept(events: readonly InboundEvent[], position?: { timeline: string; cursor: string }): void {
    if (events.length > 0) state.accepting(host.accept(events, position));
  }

  function newMessage(message: tl.TypeMessage): void {
    if (message._ === 'messageEmpty') return;
    const chat = idOf(message.peerId);
    const events = toEvents(message, translation);
    reactions.noted(events);
    const cursor = cursorOf({ message: message.id, epoch: epochs.of(boxOf(chat)) });
    accept(events, { timeline: chat, cursor });
    onChat(chat);
  }

  function edited(message: tl.TypeMessage): void {
    const events = toEdit(message, translation);
    if (message._ === 'message' && message.reactions) {
      const { peerId: peer, id: msgId } = message;
      accept(events.filter(({ kind }) => kind === 'edit'));
      accept(reactions.changed({ peer, msgId, reactions: message.reactions }, translation, host.clock.now()));
    } else accept(events);
  }

  function deletedIn(chat: string, messages: readonly number[]): void {
    const at = host.clock.now();
    accept(messages.map((id) => ({ kind: 'delete', chat, message: String(id), at })));
  }

  /** Telegram does not say in which chat: outside of channels, the numbers of messages are unique in an account. */
  async function deleted(messages: readonly number[]): Promise<void> {
    await state.durable();
    const places = await host.find(messages.map(String));
    const at = host.clock.now();
    await host.accept(
      places
        .filter(({ chat }) => boxOf(chat) === boxOf(self))
        .map(({ chat, message }) => ({ kind: 'delete', chat, message, at })),
    );
  }

  return {
    /** Must not wait: what it accepts is stored before the state that the library stores after it. */
    received({ update, peers }: RawUpdateInfo): void {
      known.learn({ users: peers.users.values(), chats: peers.chats.values() });
      switch (update._) {
        case 'updateNewMessage':
        case 'updateNewChannelMessage':
          newMessage(update.message);
          break;
        case 'updateEditMessage':
        case 'updateEditChannelMessage':
          edited(update.message);
          break;
        case 'updateDeleteChannelMessages':
          deletedIn(channelIdOf(update.channelId), update.messages);
          break;
        case 'updateDeleteMessages':
          state.accepting(deleted(update.messages));
          break;
        case 'updateMessageReactions':
          accept(reactions.changed(update, translation, host.clock.now()));
          break;
        default:
      }
    },
  };
}
