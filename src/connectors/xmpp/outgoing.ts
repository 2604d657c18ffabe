import { withDeadline } from '../../lib/deadline.ts';
import type { LookOutcome, Outgoing, Sent } from '../connector.ts';
import { notSent, unknown } from '../outcome-error.ts';
import type { ArchivedMessage, MessageArchive } from './archive.ts';
import type { OwnAddress } from './chat-address.ts';
import { bounceReason, readMessage, senderIdsOf } from './convert.ts';
import { normalJid, parseJid } from './jid.ts';
import type { LiveMessage } from './live.ts';
import type { LookBack } from './look-back.ts';
import { NS } from './namespaces.ts';
import type { References } from './references.ts';
import type { XmppRooms } from './rooms.ts';
import { unlessRefused, type XmppStream } from './stream.ts';
import { StreamError } from './wire.ts';
import { type Element, xml } from './xml.ts';

interface Parts {
  stream: XmppStream;
  archive: MessageArchive;
  hasArchive: boolean;
  rooms: XmppRooms;
  ownAddress: OwnAddress;
  references: References;
  lookBack: LookBack;
  now(): number;
  /** Stores our message if the network does not echo it. */
  put(news: LiveMessage): void;
  echoMs: number;
}

/** How far back to search for a message whose outcome is unknown. */
const NEWEST = { pages: 4, limit: 25 };
const FAR_BACK = { pages: 10, limit: 100 };

/** Every server takes stanzas of this size (RFC 6120, section 13.12). */
const MIN_LIMIT_BYTES = 10_000;

/** Tolerated difference between the server's clock and ours. */
const CLOCKS_MS = 60_000;

/** A server reads no stanza that is above its limit: it ends the stream, and would do so again. */
function isTooLong(error: unknown, stanza: Element): boolean {
  const isRefused = error instanceof StreamError && error.condition === 'policy-violation';
  return isRefused && Buffer.byteLength(stanza.toString()) > MIN_LIMIT_BYTES;
}

/** Sends messages. */
export function createOutgoing(parts: Parts) {
  const { stream, archive, rooms, ownAddress } = parts;
  /** Messages in flight by id: recipient, and what to do when the echo or an error arrives. */
  const bounces = new Map<string, { chat: string; reject(reason: Error): void }>();
  const echoes = new Map<string, PromiseWithResolvers<Sent>>();
  void stream.over.then((reason) => {
    for (const { reject } of [...bounces.values(), ...echoes.values()]) reject(reason);
  });

  async function send(outgoing: Outgoing): Promise<Sent> {
    const { id, chat } = outgoing;
    if (parseJid(chat).domain === '') throw notSent('This is no address that a message could be sent to.');
    const room = rooms.find(chat);
    if (room && !room.isJoined) throw notSent('The room is not joined at the moment.', { retry: true });
    const stanza = await unlessEnded(() => stanzaOf(outgoing, room !== undefined));
    const bounce = Promise.withResolvers<never>();
    bounce.promise.catch(() => {});
    bounces.set(id, { chat: normalJid(chat), reject: bounce.reject });
    try {
      const taken = room ? sendToRoom(stanza, outgoing) : sendDirect(stanza, outgoing);
      return await Promise.race([bounce.promise, taken]);
    } catch (error) {
      throw isTooLong(error, stanza) ? notSent('The message is too long for the server.', { cause: error }) : error;
    } finally {
      bounces.delete(id);
    }
  }

  /** Before the message is written, it certainly was not sent. */
  async function unlessEnded<T>(prepare: () => T | Promise<T>): Promise<T> {
    try {
      return await prepare();
    } catch (cause) {
      throw notSent('The connection was lost before the message was sent.', { retry: true, cause });
    }
  }

  /** A room echoes accepted messages to everyone. */
  async function sendToRoom(stanza: Element, { id }: Outgoing): Promise<Sent> {
    const echo = Promise.withResolvers<Sent>();
    echoes.set(id, echo);
    try {
      await unlessEnded(() => stream.send(stanza));
      const late = () => unknown('The room did not show the message in time.');
      return await withDeadline(parts.echoMs, undefined, late, () => echo.promise);
    } finally {
      echoes.delete(id);
    }
  }

  /**
   * Direct messages are not echoed. The server processes stanzas in order, so a reply to a later request confirms
   * that it accepted the message.
   */
  async function sendDirect(stanza: Element, outgoing: Outgoing): Promise<Sent> {
    await unlessEnded(() => stream.send(stanza));
    const kept = await unlessRefused(() =>
      parts.hasArchive ? find(outgoing, NEWEST) : stream.request('get', xml('ping', NS.ping)).then(() => undefined),
    );
    const copy = { message: kept?.message ?? withFrom(stanza), archiveId: kept?.id, at: parts.now() };
    parts.put(copy);
    const id = readMessage(copy, ownAddress)?.id;
    return { kind: 'sent', ...(id === undefined ? {} : { id }) };
  }

  function find(
    { id, chat }: Outgoing,
    { pages, limit }: typeof NEWEST,
    since?: number,
  ): Promise<ArchivedMessage | undefined> {
    const where = rooms.find(chat) ? { room: chat } : { with: chat };
    const fits = ({ message, id: archiveId, at }: ArchivedMessage) =>
      senderIdsOf(message).includes(id) && readMessage({ message, archiveId, at }, ownAddress)?.isOwn === true;
    return archive.find({ ...where, limit }, pages, fits, since);
  }

  async function stanzaOf({ id, chat, text, replyTo }: Outgoing, isInRoom: boolean): Promise<Element> {
    const target = replyTo === undefined ? undefined : isInRoom ? replyTo : await nameOf(chat, replyTo);
    return xml(
      'message',
      { to: chat, type: isInRoom ? 'groupchat' : 'chat', id },
      xml('body', {}, text),
      xml('origin-id', { xmlns: NS.ids, id }),
      target === undefined ? undefined : xml('reply', { xmlns: NS.reply, id: target }),
    );
  }

  /** The sender's id of a direct message: the archive id means nothing to the other side. */
  async function nameOf(chat: string, id: string): Promise<string | undefined> {
    const known = parts.references.nameOf(chat, id);
    if (known !== undefined || !parts.hasArchive) return known;
    const page = await unlessRefused(() => archive.page({ ids: [id], limit: 1 }));
    parts.lookBack.note(page?.kept ?? []);
    return parts.references.nameOf(chat, id);
  }

  function withFrom(stanza: Element): Element {
    return xml('message', { ...stanza.attrs, from: stream.jid }, ...stanza.children);
  }

  return {
    send,
    async wasSent(outgoing: Outgoing): Promise<LookOutcome> {
      const room = rooms.find(outgoing.chat);
      if (!(room ? room.hasArchive : parts.hasArchive)) {
        return { kind: 'unknown', reason: 'Without an archive the server cannot tell what was sent.' };
      }
      const kept = await find(outgoing, FAR_BACK, (outgoing.since ?? 0) - CLOCKS_MS);
      return kept ? { kind: 'sent', id: kept.id } : { kind: 'absent' };
    },
    /** An error for our message, from its recipient. */
    onBounce(message: Element): void {
      const sent = bounces.get(message.attrs.id ?? '');
      if (sent?.chat !== normalJid(message.attrs.from ?? '')) return;
      const retry = message.getChild('error')?.attrs.type === 'wait';
      sent.reject(notSent(`The message could not be delivered: ${bounceReason(message)}.`, { retry }));
    },
    /** An echo from a room. */
    onEcho({ message, archiveId, at }: LiveMessage): void {
      const echo = senderIdsOf(message)
        .map((id) => echoes.get(id))
        .find((each) => each !== undefined);
      const said = echo && readMessage({ message, archiveId, at }, ownAddress);
      if (said?.isOwn) echo?.resolve({ kind: 'sent', id: said.id });
    },
  };
}
