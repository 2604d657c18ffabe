import type { HistoryPage, HistoryRequest, Host, LookOutcome, Outgoing, Sent } from '../connector.ts';
import { notSent } from '../outcome-error.ts';
import { createBatches, type LineBatch } from './batches.ts';
import type { Fold } from './casemapping.ts';
import { createChannels } from './channels.ts';
import { connect, type IrcSession } from './client.ts';
import { type ChannelContext, chatOf, isChannel, isOwn, timeOf, toEvent } from './convert.ts';
import { createFlow } from './flow.ts';
import { createFollowed } from './followed.ts';
import { createHistory, cursorAt, cursorOf } from './history.ts';
import type { ParsedLine } from './line.ts';
import { createNames, type Names } from './names.ts';
import { createOutgoing } from './outgoing.ts';
import { findSent } from './own-id.ts';
import type { Pace } from './pace.ts';
import { serverOf } from './server.ts';
import type { IrcSettings } from './settings.ts';

/** Operations of a connection while it is open. */
export interface Conversation {
  send(outgoing: Outgoing): Promise<Sent>;
  wasSent(outgoing: Outgoing): Promise<LookOutcome>;
  history(request: HistoryRequest): Promise<HistoryPage>;
  fold: Fold;
  /** Remembers how the user wrote a name. */
  typed: Names['typed'];
  problems(): readonly string[];
  hold(isHeld: boolean): void;
}

/** How long a message waits until its channel is joined. */
const JOIN_MS = 5_000;
/** Tolerated difference between the server's clock and ours. */
const CLOCKS_MS = 60_000;

/** The server adds our prefix to our lines; until its length is known, the maximum is assumed. */
const MAX_USER_AND_HOST = '!'.length + 21 + '@'.length + 63;

/** Connects, and passes on messages until the signal is aborted or the connection ends. */
export async function converse(
  settings: IrcSettings,
  host: Host,
  pace: Pace,
  signal: AbortSignal,
  onOpen: (conversation: Conversation) => void,
): Promise<void> {
  const early: ParsedLine[] = [];
  let receive = (line: ParsedLine): void => void early.push(line);
  const session = await connect(settings, pace, signal, (line) => receive(line));
  const over = new AbortController();
  const talk = createTalk(session, settings, host, pace, over.signal);
  receive = talk.receive;
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    onOpen(talk.conversation);
    early.forEach(talk.receive);
    talk.begin();
    await Promise.race([aborted.promise, session.lost, talk.failed]);
  } finally {
    signal.removeEventListener('abort', abort);
    talk.end();
    over.abort(new Error('the connection ended'));
    await session.quit();
  }
}

/** Handles everything on one registered connection. */
function createTalk(session: IrcSession, settings: IrcSettings, host: Host, pace: Pace, signal: AbortSignal) {
  const server = serverOf(session);
  const { fold, hasHistory } = server;
  const flow = createFlow({ burst: pace.burst, everyMs: pace.lineMs });
  const names = createNames(fold);
  const batches = createBatches();
  const broken = Promise.withResolvers<never>();
  const heardBefore = createCounter();
  const joining = new Set<() => void>();
  let prefixBytes: number | undefined;
  /** One at a time waits for the rate limit, so that messages do not wait behind many. */
  let joins: Promise<void> = Promise.resolve();

  const scope = (nth = createCounter()): ChannelContext => {
    const account = session.account();
    return {
      nick: session.nick(),
      ...(account === undefined ? {} : { account }),
      ...server,
      now: host.clock.now(),
      shownName: names.shown,
      participants: channels.count,
      nth,
    };
  };

  const channels = createChannels({
    wanted: settings.channels,
    nick: session.nick,
    fold,
    ranks: server.ranks,
    rejoinMs: pace.rejoinMs,
    answerMs: pace.answerMs,
    clock: host.clock,
    log: host.log,
    join(name, key) {
      joins = joins.then(() => join(name, key));
    },
    onJoined(name) {
      if (hasHistory) followed.joined(fold(name));
      lookAgain();
    },
    onRefused: () => lookAgain(),
    onLeft: (name, line) => followed.left(fold(name), cursorAt(line, scope())),
    onNames: names.listed,
    onListed(name, participantCount) {
      if (channels.isIn(name)) {
        void host.accept([{ kind: 'chat', chat: { id: fold(name), name, type: 'channel', participantCount } }]);
      }
    },
  });
  const history = createHistory({ session, fold, scope, answerMs: pace.answerMs });
  const followed = createFollowed({
    host,
    history: history.page,
    signal,
    onMissed: (event) => void host.accept([event]),
    onFailure: broken.reject,
  });
  const outgoing = createOutgoing({
    session,
    scope,
    flow,
    answerMs: pace.answerMs,
    prefixBytes: () => ':'.length + (prefixBytes ?? Buffer.byteLength(session.nick()) + MAX_USER_AND_HOST) + 1,
    onUnheard: keep,
  });

  /**
   * A message to a configured channel waits until the server has answered our join, which takes a while after registration. In a
   * channel that refuses us it is not attempted: only what the server says later can change that.
   */
  async function joined(channel: string): Promise<void> {
    if (channels.isJoining(channel)) await answeredJoin(channel);
    const reason = channels.reasonFor(channel);
    if (reason !== undefined) throw notSent(`We are not in this channel: ${reason}.`, { retry: true });
    if (channels.isJoining(channel)) throw notSent('We are not in this channel at the moment.', { retry: true });
  }

  async function answeredJoin(channel: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => void (channels.isJoining(channel) || resolve());
    joining.add(look);
    const patience = setTimeout(resolve, Math.min(pace.answerMs, JOIN_MS));
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    clearTimeout(patience);
    joining.delete(look);
  }

  function lookAgain(): void {
    for (const look of joining) look();
  }

  async function join(name: string, key: string | undefined): Promise<void> {
    try {
      await flow.pass(signal);
      session.write({ command: 'JOIN', params: key === undefined ? [name] : [name, key] });
      channels.asked(name);
    } catch (err) {
      if (!signal.aborted) host.log.warn({ err, channel: name }, 'the channel could not be joined');
    }
  }

  function receive(line: ParsedLine): void {
    const taken = batches.take(line);
    if (taken === undefined) return;
    if ('command' in taken) hear(taken);
    else if (!history.take(taken)) hearAll(taken);
  }

  /** A batch without a request is live; its label applies to all its lines. */
  function hearAll({ lines, label }: LineBatch): void {
    const nth = createCounter();
    for (const line of lines) hear(label === undefined ? line : { ...line, tags: { ...line.tags, label } }, nth);
  }

  function hear(line: ParsedLine, nth = heardBefore): void {
    if (line.prefix.includes('@') && fold(line.nick) === fold(session.nick())) {
      prefixBytes = Buffer.byteLength(line.prefix);
    }
    names.note(line);
    channels.note(line);
    history.note(line);
    outgoing.note(line);
    keep(line, nth);
  }

  /** Stores the event of a line, if it has one, and returns the id of the message. */
  function keep(line: ParsedLine, nth = heardBefore): string | undefined {
    const known = scope(nth);
    const event = toEvent(line, known);
    const chat = event && chatOf(line, known);
    if (!event || !chat) return undefined;
    // The server stores direct messages only for users with an account.
    if (hasHistory && chat.type === 'direct' && session.account() !== undefined) followed.follow(chat.id);
    void host.accept([event], followed.position(chat.id, cursorOf(line, known)));
    return event.kind === 'message' ? event.message.id : undefined;
  }

  async function send(message: Outgoing): Promise<Sent> {
    await joined(message.chat);
    return outgoing.send({ ...message, chat: names.shown(message.chat) ?? message.chat }, signal);
  }

  /** Our messages carry our id, if the server relays and stores it. */
  async function wasSent({ id, chat, since = 0 }: Outgoing): Promise<LookOutcome> {
    if (!hasHistory || !session.has('message-tags')) {
      return { kind: 'unknown', reason: 'The server cannot tell what was sent.' };
    }
    const { lines, isAll } = await history.latest(chat, signal);
    // Others in the channel see our ids and can write them too.
    const sent = findSent(
      lines.filter((line) => isOwn(line, scope())),
      id,
    );
    if (sent) return sent;
    const [oldest] = lines;
    if (isAll || (oldest && timeOf(oldest, scope()) < since - CLOCKS_MS)) return { kind: 'absent' };
    return { kind: 'unknown', reason: 'More was said since then than the server tells at once.' };
  }

  async function followDirectChats(): Promise<void> {
    try {
      const targets = await history.directChats(host.clock.now(), signal);
      followed.follow(...targets.filter((name) => !isChannel(name, server)).map(fold));
    } catch (err) {
      if (!signal.aborted) host.log.warn({ err }, 'the direct chats could not be listed');
    }
  }

  broken.promise.catch(() => {});
  const regain = setInterval(() => {
    if (fold(session.nick()) !== fold(settings.nick)) session.write({ command: 'NICK', params: [settings.nick] });
  }, pace.regainMs);

  return {
    receive,
    failed: broken.promise,
    begin() {
      host.connected();
      if (!hasHistory) host.log.info({}, 'this server has no history: only new messages are stored');
      channels.start();
      if (hasHistory && session.account() !== undefined) void followDirectChats();
    },
    end() {
      clearInterval(regain);
      channels.stop();
    },
    conversation: {
      send,
      wasSent,
      fold,
      typed: names.typed,
      problems: channels.problems,
      hold: session.hold,
      history: async (request) => (hasHistory ? history.page(request) : { kind: 'page', events: [], end: true }),
    } satisfies Conversation,
  };
}

/** How often each identical message has occurred. */
function createCounter(): (key: string) => number {
  const seen = new Map<string, number>();
  return (key) => {
    const times = seen.get(key) ?? 0;
    // Identical messages have the same timestamp, so older ones can be dropped.
    if (seen.size > 10_000) seen.clear();
    seen.set(key, times + 1);
    return times;
  };
}
