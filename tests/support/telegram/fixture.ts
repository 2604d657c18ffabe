import type { TestContext } from 'node:test';
import type { tl } from '@mtcute/core';
import { systemClock } from '../../../src/lib/clock.ts';
import { startConnectedSource } from '../connectors/connected-source.ts';
import { silentLog } from '../operation-context.ts';
import { openStore } from '../store/open-store.ts';
import { ANN, FAMILY, NEWS, TEAM } from './model.ts';
import { startTelegram } from './telegram-server.ts';

export const ann: tl.TypePeer = { _: 'peerUser', userId: ANN };
export const team: tl.TypePeer = { _: 'peerChannel', channelId: TEAM };
export const news: tl.TypePeer = { _: 'peerChannel', channelId: NEWS };
export const family: tl.TypePeer = { _: 'peerChat', chatId: FAMILY };

/** The ids of these chats, as the source knows them. */
export const IDS = {
  ann: String(ANN),
  team: `-100000000${TEAM}`,
  news: `-100000000${NEWS}`,
  family: `-${FAMILY}`,
};

/** Telegram on loopback and a store for one test. `connect` connects the source, which is stopped at the end. */
export async function startFixture(context: TestContext, options: Parameters<typeof startTelegram>[0] = {}) {
  const server = await startTelegram(options);
  const store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
  const sources: Awaited<ReturnType<typeof startConnectedSource>>[] = [];
  context.after(async () => {
    await Promise.all(sources.map((source) => source.stop()));
    await server.close();
    await store.close();
  });
  const settings = { ...server.settings, session: server.session() };

  return {
    server,
    model: server.model,
    store,
    settings,
    async connect(given: Parameters<typeof startConnectedSource>[0]['settings'] = settings, secrets = new Map()) {
      const source = await startConnectedSource({ kind: 'telegram', settings: given, store, secrets });
      sources.push(source);
      return source;
    },
    /** Somebody writes in a chat. */
    say: (peer: tl.TypePeer, message: string) => String(server.model.say(peer, { message, fromId: ann }).id),
    /** The same, but nobody who is connected is told. */
    sayUnheard: (peer: tl.TypePeer, message: string) =>
      String(server.model.add(peer, { message, fromId: ann }).message.id),
    /** How often a request was made. */
    count: (method: string) => server.calls.filter((call) => call === method).length,
  };
}
