import { EventEmitter } from 'node:events';
import { Long, type tl } from '@mtcute/core';

/** A sequence of updates with a count of its own: that of a channel, or of all other chats. */
export interface Box {
  pts: number;
  log: { pts: number; update: tl.TypeUpdate; date: number }[];
  messages: (tl.RawMessage | tl.RawMessageService)[];
  lastId: number;
}

type Message = Pick<tl.RawMessage, 'message'> & Partial<tl.RawMessage>;

export const ME = 1_000;
export const ANN = 2_000;
export const TEAM = 3_000;
export const FAMILY = 4_000;
export const NEWS = 5_000;

export const now = () => Math.floor(Date.now() / 1000);

/** An account of Telegram: chats of each kind, and what happens in them. */
export function createModel() {
  const users: tl.TypeUser[] = [
    { _: 'user', self: true, id: ME, accessHash: Long.fromNumber(11), firstName: 'Me', phone: '15550100' },
    { _: 'user', id: ANN, accessHash: Long.fromNumber(22), firstName: 'Ann', lastName: 'Li', username: 'ann_li' },
  ];
  const photo = { _: 'chatPhotoEmpty' } as const;
  const common = { photo, date: 1_600_000_000 };
  const chats: tl.TypeChat[] = [
    { ...common, _: 'channel', megagroup: true, id: TEAM, accessHash: Long.fromNumber(33), title: 'team' },
    { ...common, _: 'chat', id: FAMILY, title: 'Family', participantsCount: 4, version: 1 },
    { ...common, _: 'channel', broadcast: true, id: NEWS, accessHash: Long.fromNumber(55), title: 'News' },
  ];
  const boxes = new Map<number, Box>([
    [0, newBox()],
    [TEAM, newBox()],
    [NEWS, newBox()],
  ]);
  const files = new Map<string, Uint8Array>();
  const events = new EventEmitter().setMaxListeners(0);

  function boxOf(peer: tl.TypePeer): Box {
    const box = boxes.get(peer._ === 'peerChannel' ? peer.channelId : 0);
    if (!box) throw new Error('CHANNEL_INVALID');
    return box;
  }

  /** Counts an update, and passes it to those who are connected. */
  function happened(peer: tl.TypePeer, make: (pts: number) => tl.TypeUpdate): tl.TypeUpdate {
    const box = boxOf(peer);
    box.pts += 1;
    const update = make(box.pts);
    box.log.push({ pts: box.pts, update, date: now() });
    return update;
  }

  function announce(...updates: tl.TypeUpdate[]): void {
    events.emit('updates', { _: 'updates', updates, users, chats, date: now(), seq: 0 } satisfies tl.TypeUpdates);
  }

  /** Adds a message; `announce` is left to the caller. */
  function add(peer: tl.TypePeer, fields: Message): { message: tl.RawMessage; update: tl.TypeUpdate } {
    const box = boxOf(peer);
    box.lastId += 1;
    const message: tl.RawMessage = { _: 'message', id: box.lastId, peerId: peer, date: now(), ...fields };
    box.messages.push(message);
    const isChannel = peer._ === 'peerChannel';
    const update = happened(peer, (pts) => ({
      _: isChannel ? 'updateNewChannelMessage' : 'updateNewMessage',
      message,
      pts,
      ptsCount: 1,
    }));
    events.emit('message', message);
    return { message, update };
  }

  function find(peer: tl.TypePeer, id: number): tl.RawMessage {
    const found = boxOf(peer).messages.find((message) => message.id === id);
    if (found?._ !== 'message') throw new Error('MESSAGE_ID_INVALID');
    return found;
  }

  return {
    users,
    chats,
    boxes,
    files,
    events,
    boxOf,
    add,
    find,
    announce,
    /** Somebody writes. */
    say(peer: tl.TypePeer, fields: Message): tl.RawMessage {
      const { message, update } = add(peer, fields);
      announce(update);
      return message;
    },
    edit(peer: tl.TypePeer, id: number, text: string): void {
      const message = find(peer, id);
      Object.assign(message, { message: text, editDate: now() });
      const isChannel = peer._ === 'peerChannel';
      announce(
        happened(peer, (pts) => ({
          _: isChannel ? 'updateEditChannelMessage' : 'updateEditMessage',
          message: { ...message },
          pts,
          ptsCount: 1,
        })),
      );
    },
    delete(peer: tl.TypePeer, id: number): void {
      const box = boxOf(peer);
      box.messages = box.messages.filter((message) => message.id !== id);
      announce(
        happened(peer, (pts) =>
          peer._ === 'peerChannel'
            ? { _: 'updateDeleteChannelMessages', channelId: peer.channelId, messages: [id], pts, ptsCount: 1 }
            : { _: 'updateDeleteMessages', messages: [id], pts, ptsCount: 1 },
        ),
      );
    },
    /** Reactions have no count: whoever is not connected never learns of them. */
    react(peer: tl.TypePeer, id: number, signs: readonly string[]): void {
      const reaction = (emoticon: string) => ({ _: 'reactionEmoji', emoticon }) as const;
      const reactions: tl.TypeMessageReactions = {
        _: 'messageReactions',
        canSeeList: true,
        results: signs.map((sign) => ({ _: 'reactionCount', reaction: reaction(sign), count: 1 })),
        recentReactions: signs.map((sign) => ({
          _: 'messagePeerReaction',
          peerId: { _: 'peerUser', userId: ANN },
          date: now(),
          reaction: reaction(sign),
        })),
      };
      find(peer, id).reactions = reactions;
      announce({ _: 'updateMessageReactions', peer, msgId: id, reactions });
    },
    attach(peer: tl.TypePeer, name: string, content: Uint8Array): tl.RawMessage {
      const id = Long.fromNumber(files.size + 1);
      files.set(id.toString(), content);
      const document: tl.TypeDocument = {
        _: 'document',
        id,
        accessHash: Long.ONE,
        fileReference: new Uint8Array([1]),
        date: now(),
        mimeType: 'text/plain',
        size: content.length,
        dcId: 2,
        attributes: [{ _: 'documentAttributeFilename', fileName: name }],
      };
      return this.say(peer, { message: '', fromId: ANN_PEER, media: { _: 'messageMediaDocument', document } });
    },
  };
}

const ANN_PEER: tl.TypePeer = { _: 'peerUser', userId: ANN };

export type Model = ReturnType<typeof createModel>;

function newBox(): Box {
  return { pts: 1, log: [], messages: [], lastId: 0 };
}
