import type { tl } from '@mtcute/core';
import type { StringSessionData } from '@mtcute/core/utils.js';
import type { Host, Timeline } from '../connector.ts';
import { notSent } from '../outcome-error.ts';
import { createChannels } from './channels.ts';
import { connect, createClient, type TelegramClient } from './client.ts';
import { dialogPages } from './dialogs.ts';
import { COMMON, createEpochs } from './epochs.ts';
import { findInputPeer } from './input-peer.ts';
import { createKnownPeers } from './known-peers.ts';
import { createLive } from './live.ts';
import { createReactions } from './reactions.ts';
import { chatNamed } from './send.ts';
import { useSession } from './session.ts';
import type { TelegramSettings } from './settings.ts';
import { createUpdateState } from './update-state.ts';

interface LinkParts {
  settings: TelegramSettings;
  session: StringSessionData;
  host: Host;
  signal: AbortSignal;
  onFlood(seconds: number): void;
}

/** Remembered for all connections of this process, by the settings of a source, which are the same object. */
const reactionsBySource = new WeakMap<TelegramSettings, ReturnType<typeof createReactions>>();

/** Connects and signs in; `follow` then passes on what happens until the connection is lost. */
export async function openLink({ settings, session, host, signal, onFlood }: LinkParts) {
  const state = createUpdateState(host);
  const known = createKnownPeers();
  const over = new AbortController();
  const tooLong = new Set<string>();
  let self = '';
  const client = await createClient({
    settings,
    storage: state.storage,
    log: host.log,
    signal: AbortSignal.any([signal, over.signal]),
    onFlood(seconds) {
      onFlood(seconds);
      // Telegram is reached, so that what it asks for is shown.
      if (self !== '') host.connected();
    },
    updates: { onTooLong: () => gap(COMMON), onChannelTooLong: (channel) => gap(String(channel)) },
  });
  client.lost.catch((error: unknown) => over.abort(error));
  try {
    await useSession(client, session);
    await connect(client);
    self = await signedIn(client, known);
  } catch (error) {
    await client.close();
    throw error;
  }
  const { api, call } = client;
  const epochs = createEpochs(host.memory, self);
  const channels = createChannels({ api, state, epochs, memory: host.memory, self });
  const caughtUp = Promise.withResolvers<void>();
  const caughtUpOrLost = Promise.race([caughtUp.promise, client.lost]);
  caughtUpOrLost.catch(() => {});
  const allChats = Promise.withResolvers<void>();
  const reactions = reactionsBySource.get(settings) ?? createReactions();
  reactionsBySource.set(settings, reactions);
  const followed = new Set<string>();
  let isCaughtUp = false;
  const live = createLive({
    host,
    self,
    known,
    epochs,
    state,
    reactions,
    onChat: (id) => followAll([{ id, chat: id }]),
  });

  /**
   * More has happened than Telegram tells. Later messages are fetched as history: by the engine if it has not asked yet,
   * else by the next connection.
   */
  function gap(box: string): void {
    if (tooLong.has(box)) return;
    tooLong.add(box);
    state.accepting(epochs.renew(box));
    if (isCaughtUp) over.abort(new Error('more updates were missed than Telegram repeats'));
  }

  function followAll(timelines: readonly Timeline[]): void {
    const added = timelines.filter(({ id }) => !followed.has(id));
    for (const { id } of added) followed.add(id);
    if (added.length > 0) host.connected(added);
  }

  async function receiveUpdates(): Promise<void> {
    const { updates } = api;
    if (!updates) throw new Error('updates are off');
    const hasState = await state.load(self);
    await (hasState ? epochs.resume(COMMON) : epochs.renew(COMMON));
    await updates._loadUpdatesStorage();
    await channels.load();
    updates.catchUpOnStart = hasState;
    updates.onCatchingUp((isOngoing) => {
      if (isOngoing) return;
      isCaughtUp = true;
      caughtUp.resolve();
    });
    api.onRawUpdate.add((info) => live.received(info));
  }

  async function startUpdates(): Promise<void> {
    await api.startUpdatesLoop();
    if (api.updates?.catchUpOnStart) return;
    await api.updates?._saveUpdatesStorage(true);
    isCaughtUp = true;
    caughtUp.resolve();
  }

  async function learnChats(): Promise<void> {
    let isFirst = true;
    for await (const page of dialogPages({ api, call, self, known })) {
      const behind = await channels.add(page.channels);
      await host.accept(page.events);
      // Only then updates have all that they refer to.
      if (isFirst) await startUpdates();
      isFirst = false;
      for (const channel of behind) await channels.refresh(channel);
      followAll(page.timelines);
      host.connected();
    }
    allChats.resolve();
    await channels.store();
  }

  async function inputPeer(chat: string): Promise<tl.TypeInputPeer> {
    const id = chat.startsWith('@') ? await chatNamed(call, chat.slice(1)) : chat;
    const find = () => findInputPeer({ known, storage: api.storage }, id);
    const found = await find();
    if (found) return found;
    // It may be on a later page of the list of chats.
    await Promise.race([allChats.promise, client.lost]);
    const peer = await find();
    if (!peer) throw notSent('There is no such chat in this account.');
    return peer;
  }

  return {
    api,
    call,
    self,
    known,
    epochs,
    caughtUp: caughtUpOrLost,
    over: over.signal,
    inputPeer,
    onEvents: reactions.noted,
    /** The chat with this username, if it is known. */
    chatNamed: (name: string) => namedIn(known.users.values(), name),
    async follow(): Promise<void> {
      await receiveUpdates();
      await learnChats();
      await client.lost;
    },
    async close(): Promise<void> {
      over.abort();
      await client.close();
      await state.close();
    },
  };
}

export type Link = Awaited<ReturnType<typeof openLink>>;

async function signedIn(client: TelegramClient, known: ReturnType<typeof createKnownPeers>): Promise<string> {
  const users = await client.call({ _: 'users.getUsers', id: [{ _: 'inputUserSelf' }] });
  const [me] = users;
  if (me?._ !== 'user') throw new Error('Telegram did not say who is signed in');
  client.isUsed();
  known.learn({ users, chats: [] });
  await client.api.storage.self.storeFrom(me);
  return String(me.id);
}

function namedIn(users: Iterable<tl.TypeUser>, name: string): string | undefined {
  const wanted = name.slice(1).toLowerCase();
  for (const user of users) if (user._ === 'user' && user.username?.toLowerCase() === wanted) return String(user.id);
  return undefined;
}
