import type { Host, Timeline } from '../connector.ts';
import { createArchive } from './archive.ts';
import type { OwnAddress } from './chat-address.ts';
import { isSubject, type ParsedStanza, readMessage, stampedId } from './convert.ts';
import { ACCOUNT, createHistory, ROOM } from './history.ts';
import { carbonIn, timestampOf } from './incoming.ts';
import { bareJid } from './jid.ts';
import { createLive, type LiveMessage } from './live.ts';
import { createLookBack } from './look-back.ts';
import { NS } from './namespaces.ts';
import { createOutgoing } from './outgoing.ts';
import { createReferences } from './references.ts';
import { createRooms, type RoomLimits, type XmppRoom } from './rooms.ts';
import { createRoster } from './roster.ts';
import { unlessRefused, type XmppStream } from './stream.ts';
import { createLatest, notBefore } from './timestamps.ts';
import { type Element, xml } from './xml.ts';

/** How long joining rooms may delay the rest. */
const ROOMS_MS = 10_000;
/** A new message is among the newest of the archive. */
const NEWEST = { pages: 4, limit: 25 };

/** Tolerance for the room's clock, and for noticing late that we were removed from the room. */
const GAP_MARGIN_MS = 15 * 60_000;
const GAP_PAGE = 100;

export interface ClientOptions {
  nick: string;
  rooms: readonly string[];
  limits: RoomLimits & { answerMs: number };
}

/** Uses one authenticated stream; ends with it. */
export async function createClient(stream: XmppStream, host: Host, { nick, rooms: wanted, limits }: ClientOptions) {
  const now = () => host.clock.now();
  const features = await featuresOf(stream);
  const hasArchive = features.has(NS.archive);
  const archive = createArchive(stream);
  const references = createReferences();
  const latest = createLatest();
  const roster = createRoster(stream, host);
  const rooms = createRooms({ stream, nick, rooms: wanted, log: host.log, limits, now, onJoined });
  const ownAddress: OwnAddress = { self: stream.self, ownName: nick, nameOf: roster.nameOf, room: rooms.find };
  const lookBack = createLookBack({ archive, references, ownAddress, archiveOf });
  const live = createLive({
    host,
    ownAddress,
    references,
    lookBack,
    identify,
    onFailure: (error) => stream.fail(new Error('what came could not be read', { cause: error })),
  });
  const outgoing = createOutgoing({
    ...{ stream, archive, hasArchive, rooms, ownAddress, references, lookBack },
    now,
    put: (copy) => live.put({ ...copy, at: timestampIn(ACCOUNT, copy.at) }),
    echoMs: limits.answerMs,
  });
  const history = createHistory({ archive, ownAddress, references, lookBack, latest, now });
  /** Timelines with a gap that must be fetched before live messages advance their position. */
  const gaps = new Set<string>();
  let isConnected = false;

  stream.listen(onStanza);
  return { begin, outgoing, history, settled: live.settled, problems: rooms.problems };

  /** Prepares everything and calls `host.connected`. */
  async function begin(): Promise<void> {
    await unlessRefused(() => stream.request('set', xml('enable', NS.carbons)));
    await unlessRefused(roster.fetch);
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
    host.connected([...(hasArchive ? [{ id: ACCOUNT }] : []), ...rooms.all().flatMap(timelineOf)]);
  }

  function onStanza(stanza: Element): void {
    if (stanza.name === 'message') return onMessage(stanza);
    if (stanza.name === 'presence') return rooms.onPresence(stanza);
    if (stanza.name === 'iq') answer(stanza);
  }

  function onMessage(stanza: Element): void {
    if (archive.take(stanza)) return;
    const message = carbonIn(stanza, stream.self) ?? stanza;
    if (message.attrs.type === 'error') outgoing.onBounce(message);
    const room = message.attrs.type === 'groupchat' ? rooms.find(bareJid(message.attrs.from ?? '')) : undefined;
    if (room) return onRoomMessage(message, room);
    put(
      {
        message,
        archiveId: hasArchive ? stampedId(message, stream.self) : undefined,
        at: timestampOf(message, stream.self, now()),
      },
      ACCOUNT,
    );
  }

  function onRoomMessage(message: Element, room: XmppRoom): void {
    const archiveId = room.stampsIds ? stampedId(message, room.jid) : undefined;
    const at = timestampOf(message, stream.self, now());
    const isNewSubject = isAnotherSubject(message, room);
    if (isSubject(message)) room.subject = message.getChildText('subject') ?? '';
    const news: LiveMessage = { message, archiveId, at, isNewSubject };
    put(news, ROOM + room.jid);
    outgoing.onEcho(news);
  }

  function put(news: LiveMessage, timeline: string): void {
    const at = timestampIn(timeline, news.at);
    live.put(gaps.has(timeline) ? { ...news, at } : { ...news, at, timeline });
  }

  /** Live messages are ordered after all earlier ones, regardless of clock differences. */
  function timestampIn(timeline: string, at: number): number {
    const timestamp = notBefore(at, latest.of(timeline));
    latest.note(timeline, timestamp);
    return timestamp;
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

  /** Servers add archive ids to live messages; if one does not, the archive is queried. */
  async function identify(said: ParsedStanza): Promise<string | undefined> {
    const where = archiveOf(said.chat.id);
    if (!where || said.senderIds.length === 0) return undefined;
    const peer = where.room === undefined ? { with: said.chat.id } : {};
    const kept = await unlessRefused(() =>
      archive.find({ ...where, ...peer, limit: NEWEST.limit }, NEWEST.pages, ({ message, id, at }) => {
        const other = readMessage({ message, archiveId: id, at }, ownAddress);
        return other?.sender.id === said.sender.id && other.senderIds.some((each) => said.senderIds.includes(each));
      }),
    );
    return kept?.id;
  }

  function onJoined(room: XmppRoom): void {
    const { jid: id, name, participantCount, leftAt } = room;
    if (room.hasArchive && leftAt !== undefined) void closeGap(room, leftAt);
    void host.accept([{ kind: 'chat', chat: { id, name, type: 'group', participantCount } }]);
    if (isConnected) host.connected(timelineOf(id));
  }

  /**
   * Fetches messages missed while we were outside. If that fails, the next connection continues from before the gap.
   */
  async function closeGap({ jid }: XmppRoom, leftAt: number): Promise<void> {
    gaps.add(ROOM + jid);
    try {
      const start = leftAt - GAP_MARGIN_MS;
      for (let place: { after?: string } | undefined = {}; place; ) {
        const { kept, newest, end } = await archive.page({ room: jid, start, ...place, limit: GAP_PAGE });
        for (const { message, id, at } of kept) live.put({ message, archiveId: id, at: Number.isNaN(at) ? now() : at });
        place = end || newest === undefined ? undefined : { after: newest };
      }
      gaps.delete(ROOM + jid);
    } catch (error) {
      stream.fail(new Error('what was said in a room meanwhile could not be fetched', { cause: error }));
    }
  }

  function timelineOf(jid: string): Timeline[] {
    const room = rooms.find(jid);
    return room?.isJoined && room.hasArchive ? [{ id: ROOM + jid, chat: jid }] : [];
  }
}

async function featuresOf(stream: XmppStream): Promise<ReadonlySet<string | undefined>> {
  const answer = await unlessRefused(() => stream.request('get', xml('query', NS.discoInfo), { to: stream.self }));
  return new Set(
    answer
      ?.getChild('query', NS.discoInfo)
      ?.getChildren('feature')
      .map(({ attrs }) => attrs.var),
  );
}

export type XmppClient = Awaited<ReturnType<typeof createClient>>;

/** Some rooms repeat former subjects, with a delay stamp, before the one that they tell when joining. */
function isAnotherSubject(message: Element, { subject }: XmppRoom): boolean {
  if (!isSubject(message) || subject === undefined || message.getChild('delay', NS.delay)) return false;
  return message.getChildText('subject') !== subject;
}
