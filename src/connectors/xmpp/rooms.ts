import { backoffDelay } from '../../lib/backoff.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import type { RoomView } from './chat-address.ts';
import { bareJid, parseJid, resourceOf } from './jid.ts';
import { NS } from './namespaces.ts';
import { StanzaError, type XmppStream } from './stream.ts';
import { type Element, xml } from './xml.ts';

export interface XmppRoom extends RoomView {
  isJoined: boolean;
  hasArchive: boolean;
  /** The subject that the room told last, as it does at the end of each join: another one is new. */
  subject?: string | undefined;
  /** When we were removed from the room, since the connection began. */
  leftAt?: number | undefined;
}

export interface RoomsParts {
  stream: XmppStream;
  nick: string;
  rooms: readonly string[];
  log: Log;
  limits: RoomLimits;
  now(): number;
  /** `leftAt` is still set: messages since then were not fetched yet. */
  onJoined(room: XmppRoom): void;
}

export interface RoomLimits {
  joinMs: number;
  /** First delay before rejoining; it doubles up to the maximum. */
  rejoinMs: number;
  longestRejoinMs: number;
  /** After this time in a room the delay is reset. */
  settledMs: number;
  /** Interval of self-pings: a room's server may have removed us silently. */
  checkMs: number;
}

export const ROOM_LIMITS: RoomLimits = {
  joinMs: 20_000,
  rejoinMs: 2_000,
  longestRejoinMs: 600_000,
  settledMs: 60_000,
  checkMs: 600_000,
};

/** Internal state of a room. */
interface Entry {
  room: XmppRoom;
  occupants: Set<string>;
  entering?: PromiseWithResolvers<void> | undefined;
  failures: number;
  /** Why it is not joined. */
  reason?: string | undefined;
  joinedAt: number;
  timer?: NodeJS.Timeout;
}

const MAX_NICKS = 4;
/** Without an archive, the room's recent history is all that can be fetched. */
const RECENT_MESSAGES = '50';
const STATUS = { self: '110', created: '201', newNick: '303' };

/** XEP-0045: the configured rooms, rejoined whenever we were removed. */
export function createRooms({ stream, nick, rooms, log, limits, now, onJoined }: RoomsParts) {
  const entries = new Map(rooms.map((jid) => [bareJid(jid), entryOf(bareJid(jid), nick)]));
  let isStopped = false;
  const check = setInterval(() => void checkAll(), limits.checkMs);
  check.unref();
  void stream.over.then((reason) => {
    stop();
    for (const { entering } of entries.values()) entering?.reject(reason);
  });

  async function enter(entry: Entry): Promise<void> {
    const { room } = entry;
    try {
      const isDescribed = await describe(room);
      await join(entry);
      // A room that did not exist can be queried only after it was created.
      if (!isDescribed) await describe(room);
      entry.reason = undefined;
      onJoined(room);
      room.leftAt = undefined;
    } catch (err) {
      if (isStopped) return;
      entry.reason = reasonOf(err);
      log.warn({ err, room: room.jid }, 'a room could not be joined');
      enterLater(entry);
    }
  }

  function enterLater(entry: Entry): void {
    if (isStopped) return;
    entry.failures++;
    const wait = backoffDelay(entry.failures, { firstMs: limits.rejoinMs, longestMs: limits.longestRejoinMs });
    entry.timer = setTimeout(() => void enter(entry), wait);
  }

  /** Queries name and features of the room; false if it does not answer. */
  async function describe(room: XmppRoom): Promise<boolean> {
    try {
      const answer = await stream.request('get', xml('query', NS.discoInfo), { to: room.jid });
      const query = answer.getChild('query', NS.discoInfo);
      const features = new Set(query?.getChildren('feature').map(({ attrs }) => attrs.var));
      room.name = query?.getChild('identity')?.attrs.name || parseJid(room.jid).local || room.jid;
      room.hasArchive = features.has(NS.archive);
      room.stampsIds = room.hasArchive || features.has(NS.ids);
      room.givesOccupantIds = features.has(NS.occupantId);
      return true;
    } catch (error) {
      if (error instanceof StanzaError) return false;
      throw error;
    }
  }

  async function join(entry: Entry): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await joinAs(entry, nick + '_'.repeat(attempt));
      } catch (error) {
        const isTaken = error instanceof StanzaError && error.condition === 'conflict';
        if (!isTaken || attempt + 1 >= MAX_NICKS) throw error;
      }
    }
  }

  async function joinAs(entry: Entry, as: string): Promise<void> {
    const { room, occupants } = entry;
    const entering = Promise.withResolvers<void>();
    entry.entering = entering;
    occupants.clear();
    room.subject = undefined;
    room.nick = as;
    const history = xml('history', { maxstanzas: room.hasArchive ? '0' : RECENT_MESSAGES });
    try {
      await withDeadline(
        limits.joinMs,
        undefined,
        () => new Error('the room did not answer in time'),
        () => {
          stream.send(xml('presence', { to: `${room.jid}/${as}` }, xml('x', NS.muc, history)));
          return entering.promise;
        },
      );
    } finally {
      entry.entering = undefined;
    }
  }

  function onPresence(presence: Element): void {
    const from = presence.attrs.from ?? '';
    const entry = entries.get(bareJid(from));
    if (!entry) return;
    const { type } = presence.attrs;
    if (type === 'error') return entry.entering?.reject(new StanzaError(presence.getChild('error')));
    if (type === undefined) return onPresent(entry, resourceOf(from), presence);
    if (type === 'unavailable') onGone(entry, resourceOf(from), presence);
  }

  function onPresent(entry: Entry, who: string, presence: Element): void {
    const { room, occupants } = entry;
    occupants.add(who);
    room.participantCount = occupants.size;
    if (!statusOf(presence).has(STATUS.self)) return;
    room.nick = who;
    room.ownId = presence.getChild('occupant-id', NS.occupantId)?.attrs.id;
    if (statusOf(presence).has(STATUS.created)) open(room);
    if (!entry.entering) return;
    room.isJoined = true;
    entry.joinedAt = performance.now();
    entry.entering.resolve();
  }

  function onGone(entry: Entry, who: string, presence: Element): void {
    const { room, occupants } = entry;
    occupants.delete(who);
    room.participantCount = occupants.size;
    const status = statusOf(presence);
    const isSelf = status.has(STATUS.self) || who === room.nick;
    // A nickname change is a leave and a join; our new nickname is in the following presence.
    if (isSelf && !status.has(STATUS.newNick)) onLeft(entry, 'we were taken out of a room', removalOf(presence));
  }

  function onLeft(entry: Entry, why: string, reason: string): void {
    if (entry.entering) return entry.entering.reject(new Removed(reason));
    if (!entry.room.isJoined) return;
    entry.reason = reason;
    entry.room.isJoined = false;
    entry.room.leftAt = now();
    // A room that removes us right after joining is retried with increasing delays.
    if (performance.now() - entry.joinedAt > limits.settledMs) entry.failures = 0;
    log.warn({ room: entry.room.jid }, why);
    enterLater(entry);
  }

  /** A new room is locked until its owner accepts the default configuration. */
  function open(room: XmppRoom): void {
    const form = xml('query', NS.mucOwner, xml('x', { xmlns: NS.form, type: 'submit' }));
    stream.request('set', form, { to: room.jid }).catch((err: unknown) => {
      if (!isStopped) log.info({ err, room: room.jid }, 'a new room could not be opened');
    });
  }

  /** XEP-0410. */
  async function checkAll(): Promise<void> {
    for (const entry of entries.values()) {
      const { room } = entry;
      if (!room.isJoined) continue;
      try {
        await stream.request('get', xml('ping', NS.ping), { to: `${room.jid}/${room.nick}` });
      } catch (error) {
        if (error instanceof StanzaError && OUTSIDE.has(error.condition))
          onLeft(entry, 'a room has forgotten us', 'the room has lost this user');
      }
    }
  }

  function stop(): void {
    isStopped = true;
    clearInterval(check);
    for (const { timer } of entries.values()) clearTimeout(timer);
  }

  return {
    /** Resolves when every room was tried once. */
    enterAll: async () => void (await Promise.all([...entries.values()].map(enter))),
    all: () => [...entries.keys()],
    find: (jid: string): XmppRoom | undefined => entries.get(jid)?.room,
    problems: (): string[] =>
      [...entries.values()].flatMap(({ room, reason }) =>
        reason === undefined ? [] : [`${room.jid} was not joined: ${reason}.`],
      ),
    onPresence,
    stop,
  };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['forbidden', 'this user is banned from the room'],
  ['registration-required', 'the room is for its members only'],
  ['not-authorized', 'the room asks for a password'],
  ['item-not-found', 'there is no such room, or it is locked'],
  ['not-allowed', 'there is no such room, and this user may not create it'],
  ['conflict', 'the nickname is taken there'],
  ['service-unavailable', 'the room is full'],
  ['remote-server-not-found', 'its server cannot be reached'],
  ['remote-server-timeout', 'its server cannot be reached'],
]);

/** We were in the room, or nearly; the message is for the user. */
class Removed extends Error {}

const REMOVALS: readonly [status: string, reason: string][] = [
  ['301', 'this user was banned from the room'],
  ['307', 'this user was removed from the room'],
  ['321', 'this user is no longer a member of the room'],
  ['322', 'the room is for its members only'],
  ['332', 'its server was stopped'],
];

function removalOf(presence: Element): string {
  const status = statusOf(presence);
  if (presence.getChild('x', NS.mucUser)?.getChild('destroy')) return 'the room was destroyed';
  return REMOVALS.find(([code]) => status.has(code))?.[1] ?? 'this user is no longer in the room';
}

function reasonOf(error: unknown): string {
  if (error instanceof Removed) return error.message;
  if (!(error instanceof StanzaError)) return 'the room did not answer';
  return REASONS.get(error.condition) ?? 'the room refused it';
}

/** A room's reply to a ping of a non-member. */
const OUTSIDE: ReadonlySet<string> = new Set(['not-acceptable', 'not-allowed', 'bad-request']);

function entryOf(jid: string, nick: string): Entry {
  return {
    occupants: new Set(),
    failures: 0,
    joinedAt: 0,
    room: {
      jid,
      name: parseJid(jid).local || jid,
      nick,
      givesOccupantIds: false,
      stampsIds: false,
      hasArchive: false,
      participantCount: 0,
      isJoined: false,
    },
  };
}

function statusOf(presence: Element): ReadonlySet<string | undefined> {
  const codes = presence.getChild('x', NS.mucUser)?.getChildren('status') ?? [];
  return new Set(codes.map(({ attrs }) => attrs.code));
}

export type XmppRooms = ReturnType<typeof createRooms>;
