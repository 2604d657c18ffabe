import { withDeadline } from '../../lib/deadline.ts';
import { NotSent, type Outgoing, type Sent } from '../connector.ts';
import type { Archive, Kept } from './archive.ts';
import { bounceReason, readMessage, senderIdsOf } from './convert.ts';
import { bareJid, parseJid } from './jid.ts';
import type { News } from './live.ts';
import type { LookBack } from './look-back.ts';
import { NS } from './namespaces.ts';
import type { Standpoint } from './place.ts';
import type { References } from './references.ts';
import type { Rooms } from './rooms.ts';
import { StanzaError, type XmppStream } from './stream.ts';
import { type Element, xml } from './xml.ts';

interface Parts {
  stream: XmppStream;
  archive: Archive;
  hasArchive: boolean;
  rooms: Rooms;
  standpoint: Standpoint;
  references: References;
  lookBack: LookBack;
  now(): number;
  /** Stores a message of ours that no one echoes. */
  put(news: News): void;
  echoMs: number;
}

/** How far back something is looked for of which it is not known whether it left. */
const PAGES = 10;

/** What leaves. */
export function createOutgoing(parts: Parts) {
  const { stream, archive, rooms, standpoint } = parts;
  const bounces = new Map<string, PromiseWithResolvers<never>>();
  const echoes = new Map<string, PromiseWithResolvers<Sent>>();
  void stream.over.then((reason) => {
    for (const { reject } of [...bounces.values(), ...echoes.values()]) reject(reason);
  });

  async function send(outgoing: Outgoing): Promise<Sent> {
    const room = rooms.find(bareJid(outgoing.chat));
    if (parseJid(outgoing.chat).domain === '') throw new NotSent('This is no address that a message could be sent to.');
    const isInRoom = room?.jid === outgoing.chat;
    if (isInRoom && !room.isJoined) throw new NotSent('The room is not joined at the moment.', { retry: true });
    const stanza = await stanzaOf(outgoing, isInRoom);
    const bounce = Promise.withResolvers<never>();
    bounce.promise.catch(() => {});
    bounces.set(outgoing.id, bounce);
    try {
      const taken = isInRoom ? sendToRoom(stanza, outgoing) : sendDirect(stanza, outgoing);
      return await Promise.race([bounce.promise, taken]);
    } finally {
      bounces.delete(outgoing.id);
    }
  }

  /** A room gives back what it has taken, to everybody. */
  async function sendToRoom(stanza: Element, { id }: Outgoing): Promise<Sent> {
    const echo = Promise.withResolvers<Sent>();
    echoes.set(id, echo);
    try {
      return await withDeadline(
        parts.echoMs,
        undefined,
        () => new Error('the room did not show the message in time'),
        () => {
          stream.send(stanza);
          return echo.promise;
        },
      );
    } finally {
      echoes.delete(id);
    }
  }

  /** Nobody gives back a direct message. The server deals with things in order: what it answers next, it says after taking it. */
  async function sendDirect(stanza: Element, outgoing: Outgoing): Promise<Sent> {
    stream.send(stanza);
    const kept = await answered(() =>
      parts.hasArchive ? find(outgoing, 1) : stream.request('get', xml('ping', NS.ping)).then(() => undefined),
    );
    const copy = { message: kept?.message ?? withFrom(stanza), archiveId: kept?.id, at: parts.now() };
    parts.put(copy);
    const id = readMessage(copy, standpoint)?.id;
    return id === undefined ? {} : { id };
  }

  /** An error is an answer too: the server was there. */
  async function answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof StanzaError) return undefined;
      throw error;
    }
  }

  function find({ id, chat }: Outgoing, pages: number): Promise<Kept | undefined> {
    const where = rooms.find(chat) ? { room: chat } : { with: chat };
    return archive.find(where, pages, ({ message, id: archiveId, at }) => {
      if (!senderIdsOf(message).includes(id)) return false;
      return readMessage({ message, archiveId, at }, standpoint)?.isOwn === true;
    });
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

  /** What the sender of a direct message calls it: the archive's id says nothing to the other side. */
  async function nameOf(chat: string, id: string): Promise<string | undefined> {
    const known = parts.references.nameOf(chat, id);
    if (known !== undefined || !parts.hasArchive) return known;
    const page = await answered(() => archive.page({ ids: [id], limit: 1 }));
    parts.lookBack.note(page?.kept ?? []);
    return parts.references.nameOf(chat, id);
  }

  function withFrom(stanza: Element): Element {
    return xml('message', { ...stanza.attrs, from: stream.jid }, ...stanza.children);
  }

  return {
    send,
    async wasSent(outgoing: Outgoing): Promise<Sent | undefined> {
      const room = rooms.find(outgoing.chat);
      if (!(room ? room.hasArchive : parts.hasArchive))
        throw new Error('without an archive nobody can tell what was sent');
      const kept = await find(outgoing, PAGES);
      return kept && { id: kept.id };
    },
    /** An error for something that we sent. */
    onBounce(message: Element): void {
      const isTemporary = message.getChild('error')?.attrs.type === 'wait';
      const error = new NotSent(`The message could not be delivered: ${bounceReason(message)}.`, {
        retry: isTemporary,
      });
      bounces.get(message.attrs.id ?? '')?.reject(error);
    },
    /** What a room shows to everybody, ours among it. */
    onEcho({ message, archiveId, at }: News): void {
      const echo = senderIdsOf(message)
        .map((id) => echoes.get(id))
        .find((each) => each !== undefined);
      const said = echo && readMessage({ message, archiveId, at }, standpoint);
      if (said?.isOwn) echo?.resolve({ id: said.id });
    },
  };
}

export type OutgoingMessages = ReturnType<typeof createOutgoing>;
