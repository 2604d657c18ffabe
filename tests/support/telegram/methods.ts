import type { tl } from '@mtcute/core';
import { type Box, ME, type Model, now } from './model.ts';
import { RpcFailure } from './mtproto-server.ts';

type Handlers = { [Method in tl.RpcMethod as Method['_']]?: (request: Method) => unknown };

/** The most entries of one answer to `getDifference`. */
const SLICE = 100;

/** The requests of a client that is signed in. `port` is that of the server, `tooLong` how many updates are not repeated. */
export function createMethods(model: Model, options: { port(): number; tooLong(): number }): Handlers {
  const { users, chats, boxes, boxOf, files } = model;
  const common = () => boxes.get(0) as Box;
  const sent = new Set<string>();
  const state = (pts: number): tl.updates.TypeState => ({
    _: 'updates.state',
    pts,
    qts: 0,
    date: now(),
    seq: 1,
    unreadCount: 0,
  });

  function messagesOf(peer: tl.TypePeer) {
    const isSame = (other: tl.TypePeer) => keyOf(other) === keyOf(peer);
    return boxOf(peer).messages.filter((message) => isSame(message.peerId));
  }

  /** Channels that have changed since. */
  function changedChannels(since: number): tl.TypeUpdate[] {
    return [...boxes].flatMap(([channelId, { log, pts }]) => {
      const last = log.at(-1);
      return channelId > 0 && last && last.date >= since
        ? [{ _: 'updateChannelTooLong', channelId, pts } as const]
        : [];
    });
  }

  function getDifference({ pts, date }: tl.updates.RawGetDifferenceRequest): tl.updates.TypeDifference {
    const all = common().log.filter((entry) => entry.pts > pts);
    if (all.length > options.tooLong()) return { _: 'updates.differenceTooLong', pts: common().pts };
    const part = all.slice(0, SLICE);
    const isAll = part.length === all.length;
    const others = isAll ? changedChannels(date) : [];
    if (part.length === 0 && others.length === 0) return { _: 'updates.differenceEmpty', date: now(), seq: 1 };
    const content = { ...splitOf(part), newEncryptedMessages: [], users, chats };
    const reached = state(part.at(-1)?.pts ?? pts);
    return isAll
      ? { _: 'updates.difference', ...content, otherUpdates: [...content.otherUpdates, ...others], state: reached }
      : { _: 'updates.differenceSlice', ...content, intermediateState: reached };
  }

  function getChannelDifference({
    channel,
    pts,
    limit,
  }: tl.updates.RawGetChannelDifferenceRequest): tl.updates.TypeChannelDifference {
    const peer = peerOf(channel as tl.RawInputChannel);
    const box = boxOf(peer);
    const all = box.log.filter((entry) => entry.pts > pts);
    if (all.length === 0) return { _: 'updates.channelDifferenceEmpty', final: true, pts: box.pts };
    if (all.length > options.tooLong()) {
      const messages = messagesOf(peer).slice(-10);
      return { _: 'updates.channelDifferenceTooLong', final: true, dialog: dialogOf(peer), messages, users, chats };
    }
    const part = all.slice(0, limit);
    return {
      _: 'updates.channelDifference',
      final: part.length === all.length,
      pts: part.at(-1)?.pts ?? pts,
      ...splitOf(part),
      users,
      chats,
    };
  }

  function dialogOf(peer: tl.TypePeer): tl.RawDialog {
    return {
      _: 'dialog',
      peer,
      topMessage: messagesOf(peer).at(-1)?.id ?? 0,
      readInboxMaxId: 0,
      readOutboxMaxId: 0,
      unreadCount: 0,
      unreadMentionsCount: 0,
      unreadReactionsCount: 0,
      unreadPollVotesCount: 0,
      notifySettings: { _: 'peerNotifySettings' },
      ...(peer._ === 'peerChannel' ? { pts: boxOf(peer).pts } : {}),
    };
  }

  /** All chats, most recently active first, those without a message last. */
  function dialogs(): tl.RawDialog[] {
    const peers: tl.TypePeer[] = [
      ...users.map(({ id }) => ({ _: 'peerUser', userId: id }) as const),
      ...chats.map(({ _, id }) =>
        _ === 'chat' ? ({ _: 'peerChat', chatId: id } as const) : ({ _: 'peerChannel', channelId: id } as const),
      ),
    ];
    const dateOf = (peer: tl.TypePeer) => messagesOf(peer).at(-1)?.date ?? 0;
    return peers.toSorted((a, b) => dateOf(b) - dateOf(a)).map(dialogOf);
  }

  function getDialogs({ offsetPeer, limit }: tl.messages.RawGetDialogsRequest): tl.messages.TypeDialogs {
    const all = dialogs();
    const start =
      offsetPeer._ === 'inputPeerEmpty'
        ? 0
        : all.findIndex(({ peer }) => keyOf(peer) === keyOf(inputPeerOf(offsetPeer))) + 1;
    const part = all.slice(start, start + limit);
    const messages = part.flatMap(({ peer }) => messagesOf(peer).at(-1) ?? []);
    const content = { dialogs: part, messages, chats, users };
    return start === 0 && part.length === all.length
      ? { _: 'messages.dialogs', ...content }
      : { _: 'messages.dialogsSlice', count: all.length, ...content };
  }

  function getHistory(request: tl.messages.RawGetHistoryRequest): tl.messages.TypeMessages {
    const { offsetId, addOffset, limit, minId } = request;
    const all = messagesOf(inputPeerOf(request.peer)).toReversed();
    const place = offsetId === 0 ? 0 : all.findIndex(({ id }) => id < offsetId);
    const from = (place === -1 ? all.length : place) + addOffset;
    const messages = all.slice(Math.max(0, from), Math.max(0, from + limit)).filter(({ id }) => id > minId);
    const content = { messages, chats, users, topics: [] };
    return messages.length === all.length
      ? { _: 'messages.messages', ...content }
      : { _: 'messages.messagesSlice', count: all.length, ...content };
  }

  function sendMessage(request: tl.messages.RawSendMessageRequest): tl.TypeUpdates {
    const peer = inputPeerOf(request.peer);
    if (request.message.length > 4_096) throw new RpcFailure(400, 'MESSAGE_TOO_LONG');
    if (sent.has(request.randomId.toString())) throw new RpcFailure(500, 'RANDOM_ID_DUPLICATE');
    sent.add(request.randomId.toString());
    const { replyTo } = request;
    const { message, update } = model.add(peer, {
      out: true,
      fromId: { _: 'peerUser', userId: ME },
      message: request.message,
      ...(replyTo?._ === 'inputReplyToMessage'
        ? { replyTo: { _: 'messageReplyHeader', replyToMsgId: replyTo.replyToMsgId } }
        : {}),
    });
    const { id, date } = message;
    if (peer._ !== 'peerChannel') {
      return { _: 'updateShortSentMessage', out: true, id, pts: common().pts, ptsCount: 1, date };
    }
    const updates: tl.TypeUpdate[] = [{ _: 'updateMessageID', id, randomId: request.randomId }, update];
    return { _: 'updates', updates, users, chats, date, seq: 0 };
  }

  function getFile({ location, offset, limit }: tl.upload.RawGetFileRequest): tl.upload.TypeFile {
    const id = 'id' in location ? location.id.toString() : '';
    const content = files.get(id);
    if (!content) throw new RpcFailure(400, 'FILE_ID_INVALID');
    const bytes = content.subarray(offset, offset + limit);
    return { _: 'upload.file', type: { _: 'storage.fileUnknown' }, mtime: now(), bytes };
  }

  const found = (peer: tl.TypePeer | undefined, ids: readonly tl.TypeInputMessage[]) => {
    const box = peer ? boxOf(peer) : common();
    const wanted = ids.map((id) => ('id' in id ? id.id : 0));
    const messages = box.messages.filter(({ id }) => wanted.includes(id));
    return { _: 'messages.messages', messages, chats, users, topics: [] };
  };

  return {
    'help.getConfig': () => configOf(options.port()),
    'users.getUsers': ({ id }) =>
      id.map((each) => users.find((user) => user.id === ('userId' in each ? each.userId : ME))),
    'updates.getState': () => state(common().pts),
    'updates.getDifference': getDifference,
    'updates.getChannelDifference': getChannelDifference,
    'messages.getDialogs': getDialogs,
    'messages.getHistory': getHistory,
    'messages.getMessages': ({ id }) => found(undefined, id),
    'channels.getMessages': ({ channel, id }) => found(peerOf(channel as tl.RawInputChannel), id),
    'messages.sendMessage': sendMessage,
    'upload.getFile': getFile,
    'contacts.resolveUsername': ({ username }) => {
      const user = users.find((each) => 'username' in each && each.username === username);
      if (!user) throw new RpcFailure(400, 'USERNAME_NOT_OCCUPIED');
      return { _: 'contacts.resolvedPeer', peer: { _: 'peerUser', userId: user.id }, chats: [], users: [user] };
    },
  };
}

function splitOf(entries: Box['log']): { newMessages: tl.TypeMessage[]; otherUpdates: tl.TypeUpdate[] } {
  const isNew = ({ update }: Box['log'][number]) => /^updateNew(?:Channel)?Message$/.test(update._);
  return {
    newMessages: entries.filter(isNew).map(({ update }) => (update as tl.RawUpdateNewMessage).message),
    otherUpdates: entries.filter((entry) => !isNew(entry)).map(({ update }) => update),
  };
}

function keyOf(peer: tl.TypePeer): string {
  return JSON.stringify(peer);
}

function peerOf({ channelId }: { channelId: number }): tl.TypePeer {
  return { _: 'peerChannel', channelId };
}

function inputPeerOf(peer: tl.TypeInputPeer): tl.TypePeer {
  if (peer._ === 'inputPeerSelf') return { _: 'peerUser', userId: ME };
  if ('userId' in peer) return { _: 'peerUser', userId: peer.userId };
  if ('channelId' in peer) return peerOf(peer);
  if ('chatId' in peer) return { _: 'peerChat', chatId: peer.chatId };
  throw new RpcFailure(400, 'PEER_ID_INVALID');
}

function configOf(port: number): tl.TypeConfig {
  return {
    _: 'config',
    date: now(),
    expires: now() + 3_600,
    testMode: true,
    thisDc: 2,
    dcOptions: [{ _: 'dcOption', id: 2, ipAddress: '127.0.0.1', port }],
    dcTxtDomainName: 'example.test',
    chatSizeMax: 200,
    megagroupSizeMax: 200_000,
    forwardedCountMax: 100,
    onlineUpdatePeriodMs: 120_000,
    offlineBlurTimeoutMs: 5_000,
    offlineIdleTimeoutMs: 30_000,
    onlineCloudTimeoutMs: 300_000,
    notifyCloudDelayMs: 30_000,
    notifyDefaultDelayMs: 1_500,
    pushChatPeriodMs: 60_000,
    pushChatLimit: 2,
    editTimeLimit: 172_800,
    revokeTimeLimit: 2_147_483_647,
    revokePmTimeLimit: 2_147_483_647,
    ratingEDecay: 2_419_200,
    stickersRecentLimit: 200,
    channelsReadMediaPeriod: 604_800,
    callReceiveTimeoutMs: 20_000,
    callRingTimeoutMs: 90_000,
    callConnectTimeoutMs: 30_000,
    callPacketTimeoutMs: 10_000,
    meUrlPrefix: 'https://t.me/',
    captionLengthMax: 1_024,
    messageLengthMax: 4_096,
    webfileDcId: 4,
  };
}
