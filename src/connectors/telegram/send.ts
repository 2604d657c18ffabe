import { createHash } from 'node:crypto';
import { Long, type tl } from '@mtcute/core';
import type { BaseTelegramClient } from '@mtcute/core/client.js';
import type { Outgoing, Sent } from '../connector.ts';
import { notSent, OutcomeError } from '../outcome-error.ts';
import type { Call } from './client.ts';
import { codeOf, SENT_BEFORE, sendFailure } from './failures.ts';
import { idOf } from './names.ts';

interface SendParts {
  api: Pick<BaseTelegramClient, 'handleClientUpdate'>;
  call: Call;
  self: string;
  inputPeer(chat: string): Promise<tl.TypeInputPeer>;
}

/** Waiting longer is left to the outbox. */
const WAIT_MS = 5_000;

/** Sends a message. Telegram refuses one that was sent before under the same number, which is derived from our id. */
export async function send(parts: SendParts, outgoing: Outgoing): Promise<Sent> {
  const { api, call, inputPeer } = parts;
  const randomId = randomIdOf(outgoing.id);
  try {
    const peer = await inputPeer(outgoing.chat);
    const updates = await call(
      {
        _: 'messages.sendMessage',
        peer,
        message: outgoing.text,
        randomId,
        ...(outgoing.replyTo === undefined ? {} : { replyTo: replyTo(outgoing.replyTo) }),
      },
      // An error of the server does not say whether the message was sent.
      { maxRetryCount: 0, floodSleepThreshold: WAIT_MS },
    );
    const whole = updates._ === 'updateShortSentMessage' ? completed(updates, peer, outgoing, parts.self) : updates;
    // Stored like a message from another device.
    api.handleClientUpdate(whole, false);
    const id = idIn(whole, randomId);
    return { kind: 'sent', ...(id === undefined ? {} : { id: String(id) }) };
  } catch (error) {
    if (codeOf(error) === SENT_BEFORE) return { kind: 'sent' };
    const failure = sendFailure(error);
    throw failure ? new OutcomeError(failure) : error;
  }
}

/** A number of 64 bits, always the same for the same message. */
function randomIdOf(id: string): Long {
  return Long.fromBytesLE([...createHash('sha256').update(id).digest().subarray(0, 8)]);
}

function replyTo(id: string): tl.TypeInputReplyTo {
  if (!/^\d{1,10}$/.test(id)) throw notSent('The message to reply to is not one of Telegram.');
  return { _: 'inputReplyToMessage', replyToMsgId: Number(id) };
}

/** Telegram answers with an abridged form in direct chats and small groups. */
function completed(
  sent: tl.RawUpdateShortSentMessage,
  peer: tl.TypeInputPeer,
  { text, replyTo: answered }: Outgoing,
  self: string,
): tl.TypeUpdates {
  const message: tl.RawMessage = {
    _: 'message',
    out: true,
    id: sent.id,
    fromId: { _: 'peerUser', userId: Number(self) },
    peerId: peerOf(peer, self),
    date: sent.date,
    message: text,
    ...(sent.media ? { media: sent.media } : {}),
    ...(answered === undefined
      ? {}
      : { replyTo: { _: 'messageReplyHeader', replyToMsgId: Number(answered) } as const }),
  };
  const update = { _: 'updateNewMessage', message, pts: sent.pts, ptsCount: sent.ptsCount } as const;
  return { _: 'updates', updates: [update], users: [], chats: [], date: sent.date, seq: 0 };
}

function peerOf(peer: tl.TypeInputPeer, self: string): tl.TypePeer {
  if ('userId' in peer) return { _: 'peerUser', userId: peer.userId };
  if ('channelId' in peer) return { _: 'peerChannel', channelId: peer.channelId };
  if ('chatId' in peer) return { _: 'peerChat', chatId: peer.chatId };
  return { _: 'peerUser', userId: Number(self) };
}

function idIn(updates: tl.TypeUpdates, randomId: Long): number | undefined {
  if (!('updates' in updates)) return undefined;
  for (const update of updates.updates) {
    if (update._ === 'updateMessageID' && update.randomId.equals(randomId)) return update.id;
  }
  // What was completed above has only the message.
  for (const update of updates.updates) if (update._ === 'updateNewMessage') return update.message.id;
  return undefined;
}

/** The chat that a username belongs to. */
export async function chatNamed(call: Call, username: string): Promise<string> {
  const { peer } = await call({ _: 'contacts.resolveUsername', username });
  return idOf(peer);
}
