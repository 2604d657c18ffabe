import type { Host, Timeline } from '../connector.ts';
import { createArchive } from './archive.ts';
import { readMessage, type Said, stampedId } from './convert.ts';
import { ACCOUNT, createHistory, ROOM } from './history.ts';
import { bareJid, parseJid } from './jid.ts';
import { createLive, type News } from './live.ts';
import { createLookBack } from './look-back.ts';
import { createLatest, notBefore } from './moments.ts';
import { NS } from './namespaces.ts';
import { createOutgoing } from './outgoing.ts';
import type { Standpoint } from './place.ts';
import { createReferences } from './references.ts';
import { createRooms, type Room, type RoomLimits } from './rooms.ts';
import { createRoster } from './roster.ts';
import { StanzaError, type XmppStream } from './stream.ts';
import { type Element, xml } from './xml.ts';

/** How long rooms may take before the rest goes on without them. */
const ROOMS_MS = 10_000;
/** What has just come is among the newest. */
const NEWEST = { pages: 4, limit: 25 };

export interface ClientOptions {
  nick: string;
  rooms: readonly string[];
  limits: RoomLimits & { answerMs: number };
}

/** One signed-in stream put to use; it is over when the stream is. */
export async function createClient(stream: XmppStream, host: Host, { nick, rooms: wanted, limits }: ClientOptions) {
  const features = await featuresOf(stream);
  const hasArchive = features.has(NS.archive);
  const archive = createArchive(stream);
  const references = createReferences();
  const latest = createLatest();
  const roster = createRoster(stream, host);
  const rooms = createRooms({ stream, nick, rooms: wanted, log: host.log, limits, onJoined });
  const standpoint: Standpoint = { self: stream.self, ownName: nick, nameOf: roster.nameOf, room: rooms.find };
  const lookBack = createLookBack({ archive, references, standpoint, archiveOf });
  const live = createLive({
    host,
    standpoint,
    references,
    lookBack,
    identify,
    onFailure: (error) => stream.fail(new Error('what came could not be stored', { cause: error })),
  });
  const outgoing = createOutgoing({
    ...{ stream, archive, hasArchive, rooms, standpoint, references, lookBack },
    now: () => host.clock.now(),
    put: (copy) => live.put({ ...copy, at: momentIn(ACCOUNT, copy.at) }),
    echoMs: limits.answerMs,
  });
  const history = createHistory({ archive, standpoint, references, lookBack, latest, now: () => host.clock.now() });
  let isConnected = false;

  stream.listen(onStanza);
  return { begin, outgoing, history, settled: live.settled };

  /** Makes everything ready, and calls `host.connected`. */
  async function begin(): Promise<void> {
    await attempt(() => stream.request('set', xml('enable', NS.carbons)));
    await attempt(roster.fetch);
    stream.send(xml('presence'));
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, ROOMS_MS);
    const ended = stream.over.then((reason) => Promise.reject(reason));
    try {
      await Promise.race([rooms.enterAll(), patience.promise, ended]);
    } finally {
      clearTimeout(timer);
    }
    isConnected = true;
    host.connected([...(hasArchive ? [{ id: ACCOUNT }] : []), ...wanted.flatMap((jid) => timelineOf(bareJid(jid)))]);
  }

  function onStanza(stanza: Element): void {
    if (stanza.name === 'message') return onMessage(stanza);
    if (stanza.name === 'presence') return rooms.onPresence(stanza);
    if (stanza.name === 'iq') answer(stanza);
  }

  function onMessage(stanza: Element): void {
    if (archive.take(stanza)) return;
    const message = carbonIn(stanza) ?? stanza;
    if (message.attrs.type === 'error') outgoing.onBounce(message);
    const room = message.attrs.type === 'groupchat' ? rooms.find(bareJid(message.attrs.from ?? '')) : undefined;
    if (room) return onRoomMessage(message, room);
    put(
      { message, archiveId: hasArchive ? stampedId(message, stream.self) : undefined, at: momentOf(message) },
      ACCOUNT,
    );
  }

  function onRoomMessage(message: Element, room: Room): void {
    const archiveId = room.stampsIds ? stampedId(message, room.jid) : undefined;
    const news: News = { message, archiveId, at: momentOf(message) };
    put(news, ROOM + room.jid);
    outgoing.onEcho(news);
  }

  function put(news: News, timeline: string): void {
    live.put({ ...news, at: momentIn(timeline, news.at), timeline });
  }

  /** What happens now comes after all that has happened, whatever the clocks say. */
  function momentIn(timeline: string, at: number): number {
    const moment = notBefore(at, latest.of(timeline));
    latest.note(timeline, moment);
    return moment;
  }

  /** Our own, sent from another device, or what came to it: only the own server tells of those. */
  function carbonIn(stanza: Element): Element | undefined {
    if (bareJid(stanza.attrs.from ?? stream.self) !== stream.self) return undefined;
    const carbon = stanza.getChild('sent', NS.carbons) ?? stanza.getChild('received', NS.carbons);
    return carbon?.getChild('forwarded', NS.forward)?.getChild('message');
  }

  /** What was kept for later says when it was said. Only servers may say so, lest somebody writes into the past. */
  function momentOf(message: Element): number {
    const keeper = message.attrs.type === 'groupchat' ? bareJid(message.attrs.from ?? '') : stream.self;
    const delay = message
      .getChildren('delay', NS.delay)
      .find(({ attrs }) => attrs.from === keeper || attrs.from === parseJid(keeper).domain);
    const stamp = Date.parse(delay?.attrs.stamp ?? '');
    const now = host.clock.now();
    return Number.isNaN(stamp) ? now : Math.min(stamp, now);
  }

  function answer(iq: Element): void {
    const { from, id, type } = iq.attrs;
    if (roster.onPush(iq)) return stream.send(xml('iq', { type: 'result', id, to: from }));
    const [asked] = iq.getChildElements();
    if (type === 'get' && asked?.is('ping', NS.ping)) return stream.send(xml('iq', { type: 'result', id, to: from }));
    const error = xml('error', { type: 'cancel' }, xml('service-unavailable', NS.stanzaErrors));
    stream.send(xml('iq', { type: 'error', id, to: from }, error));
  }

  function archiveOf(chat: string): { room?: string } | undefined {
    const room = rooms.find(chat);
    if (room) return room.hasArchive ? { room: chat } : undefined;
    return hasArchive ? {} : undefined;
  }

  /** Servers stamp what they archive; one that does not is asked. */
  async function identify(said: Said): Promise<string | undefined> {
    const where = archiveOf(said.chat.id);
    if (!where || said.senderIds.length === 0) return undefined;
    const peer = where.room === undefined ? { with: said.chat.id } : {};
    const kept = await attempt(() =>
      archive.find({ ...where, ...peer, limit: NEWEST.limit }, NEWEST.pages, ({ message, id, at }) => {
        const other = readMessage({ message, archiveId: id, at }, standpoint);
        return other?.sender.id === said.sender.id && other.senderIds.some((each) => said.senderIds.includes(each));
      }),
    );
    return kept?.id;
  }

  function onJoined(room: Room): void {
    host
      .accept([
        {
          kind: 'chat',
          chat: { id: room.jid, name: room.name, type: 'group', participantCount: room.participantCount },
        },
      ])
      .catch((err: unknown) => stream.fail(new Error('what came could not be stored', { cause: err })));
    if (isConnected) host.connected(timelineOf(room.jid));
  }

  function timelineOf(jid: string): Timeline[] {
    const room = rooms.find(jid);
    return room?.isJoined && room.hasArchive ? [{ id: ROOM + jid, chat: jid }] : [];
  }
}

async function featuresOf(stream: XmppStream): Promise<ReadonlySet<string | undefined>> {
  const answer = await attempt(() => stream.request('get', xml('query', NS.discoInfo), { to: stream.self }));
  return new Set(
    answer
      ?.getChild('query', NS.discoInfo)
      ?.getChildren('feature')
      .map(({ attrs }) => attrs.var),
  );
}

/** What the server does not know is done without. */
async function attempt<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StanzaError) return undefined;
    throw error;
  }
}

export type Client = Awaited<ReturnType<typeof createClient>>;
