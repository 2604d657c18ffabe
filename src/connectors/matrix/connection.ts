import type { Connection, Host, Outgoing, SendOutcome, Sent } from '../connector.ts';
import { createHttpClient } from '../http-client.ts';
import { outcomeOf, rejectionOf } from '../outcome-error.ts';
import { createClient, HomeserverError, type MatrixClient, SETTING_NAMES } from './client.ts';
import { createDirectChats, isUserId } from './direct-chats.ts';
import { historyPage } from './history.ts';
import { createListedRooms, type ListedRooms } from './listed-rooms.ts';
import { createLive } from './live.ts';
import { download } from './media.ts';
import { type Reactions, recallReactions } from './reactions.ts';
import { createRooms, type MatrixRooms } from './rooms.ts';
import { readDirectRooms, readJoinedRooms } from './schema.ts';
import { beforeSending, send } from './send.ts';
import { forgetSession, isSignedOut, type MatrixSession, refusedToken, serverFailure, signIn } from './session.ts';
import type { MatrixSettings } from './settings.ts';
import { createTranslator, type Translator } from './translate.ts';

export { login } from './login.ts';

/** State while the homeserver is connected. */
interface Link {
  session: MatrixSession;
  rooms: MatrixRooms;
  translator: Translator;
  live: ReturnType<typeof createLive>;
  directChats: ReturnType<typeof createDirectChats>;
  listed: ListedRooms;
}

/** State that is stored for later connections, because homeservers limit the number of logins. */
interface Kept {
  session?: MatrixSession | undefined;
  reactions?: Reactions;
}

/** Homeservers remember a transaction for at least half an hour; a later retry could send the message twice. */
const REMEMBERED_MS = 20 * 60_000;

/** Keyed by the settings of a source, which are the same object for all its connections. */
const keptBySource = new WeakMap<MatrixSettings, Kept>();

export function openConnection(settings: MatrixSettings, host: Host): Connection {
  const kept: Kept = keptBySource.get(settings) ?? {};
  keptBySource.set(settings, kept);
  const http = createHttpClient(settings);
  const ask = createClient(settings.homeserver, http);
  let link: Link | undefined;

  async function connect(signal: AbortSignal): Promise<void> {
    kept.session ??= await signIn(ask, settings, host, signal);
    const { session } = kept;
    const rooms = createRooms(session.user);
    kept.reactions ??= await recallReactions(host.memory);
    const { reactions } = kept;
    const translator = createTranslator(session.user, rooms, reactions);
    await learnRooms(ask, session, rooms, signal);
    const parts = { ask, token: session.token, rooms, log: host.log, signal };
    const listed = createListedRooms({ ...parts, listed: settings.rooms });
    const live = createLive({ ask, session, rooms, translator, reactions, host, signal, listed });
    const directChats = createDirectChats({ ask, session, rooms, memory: host.memory });
    link = { session, rooms, translator, live, directChats, listed };
    try {
      await live.begin();
      listed.join();
      while (!signal.aborted) await live.step();
    } finally {
      link = undefined;
      await listed.settled();
    }
  }

  /** An expired token can be renewed with a password; a token from the settings cannot. */
  async function explained(error: unknown): Promise<unknown> {
    if (!isSignedOut(error)) return serverFailure(error) ?? error;
    kept.session = undefined;
    if (settings.access_token) return refusedToken(error);
    await forgetSession(host);
    return error;
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      await connect(signal);
    } catch (error) {
      if (!signal.aborted) throw await explained(error);
    } finally {
      http.close();
    }
  }

  async function sendNow(outgoing: Outgoing): Promise<SendOutcome> {
    if (!link) return { kind: 'not-sent', reason: 'The homeserver is not reached at the moment.', retry: true };
    return outcomeOf(sendTo(link, outgoing), 'not-sent');
  }

  async function sendTo({ session, rooms, directChats }: Link, outgoing: Outgoing): Promise<Sent> {
    const { chat } = outgoing;
    const room = isUserId(chat) ? await beforeSending(directChats.roomWith(chat)) : chat;
    return send(ask, session, rooms, { ...outgoing, chat: room });
  }

  /** A person's address is that of the direct chat, once there is one. A room's leads to its id while it is joined. */
  function addressOf(text: string): string | undefined {
    if (text.startsWith('#')) return link?.listed.idOf(text) ?? link?.rooms.withAlias(text);
    if (!isUserId(text)) return undefined;
    return link?.rooms.directWith(text)[0] ?? text;
  }

  return {
    run: (signal) => rejectionOf(run(signal), SETTING_NAMES),
    async history(request) {
      if (!link) throw new Error('The homeserver is not reached at the moment.');
      const { session, translator, live } = link;
      const parts = { ask, token: session.token, translator, present: live.present() };
      const page = await outcomeOf(historyPage(parts, request), 'cursor-lost');
      await kept.reactions?.save(host.memory);
      return page;
    },
    async download(attachment, request) {
      if (!link) throw new Error('The homeserver is not reached at the moment.');
      return download(http, settings.homeserver, link.session, attachment, request);
    },
    addressOf,
    problems: () => link?.listed.problems() ?? [],
    send: sendNow,
    // The homeserver answers with the same event as long as it remembers the transaction.
    async wasSent(outgoing) {
      const { since = host.clock.now() } = outgoing;
      if (host.clock.now() - since > REMEMBERED_MS) {
        return { kind: 'unknown', reason: 'The homeserver may have forgotten the transaction.' };
      }
      const outcome = await sendNow(outgoing);
      return outcome.kind === 'not-sent' ? { ...outcome, kind: 'unknown' } : outcome;
    },
  };
}

/** Joined rooms and direct rooms: not all homeservers send them again later. */
async function learnRooms(
  ask: MatrixClient,
  { user, token }: MatrixSession,
  rooms: MatrixRooms,
  signal: AbortSignal,
): Promise<void> {
  const joined = readJoinedRooms(await ask({ path: ['joined_rooms'], token, signal }));
  for (const id of joined.joined_rooms) rooms.add(id);
  const direct = await ask({ path: ['user', user, 'account_data', 'm.direct'], token, signal }).catch(
    (error: unknown) => {
      if (error instanceof HomeserverError && error.status === 404) return {};
      throw error;
    },
  );
  rooms.setDirect(readDirectRooms(direct));
}
