import type { tl } from '@mtcute/core';
import type { Where, World } from '../connectors/contract.ts';
import { ANN, now, TEAM } from './model.ts';
import { CODE, PHONE } from './sign-in.ts';
import { startTelegram, type TelegramServer } from './telegram-server.ts';

const PASSWORD = 'the second factor';
const ANN_PEER: tl.TypePeer = { _: 'peerUser', userId: ANN };
const PEERS: Record<Where, tl.TypePeer> = {
  group: { _: 'peerChannel', channelId: TEAM },
  direct: ANN_PEER,
};

/** Telegram on loopback: the group is a supergroup, which counts its messages and updates by itself. */
export async function telegramWorld(): Promise<World & { server: TelegramServer }> {
  const server = await startTelegram({ password: PASSWORD });
  const { model, settings } = server;
  const signs = new Map<string, string[]>();

  function reacted(where: Where, id: string, next: (before: string[]) => string[]): void {
    const list = next(signs.get(`${where} ${id}`) ?? []);
    signs.set(`${where} ${id}`, list);
    model.react(PEERS[where], Number(id), list);
  }

  const sender = { id: String(ANN), name: 'Ann Li' };
  return {
    server,
    kind: 'telegram',
    settings: { ...settings, session: server.session() },
    wrongSettings: { ...settings, session: server.session(false) },
    login: {
      settings,
      answers: { phone: PHONE, code: CODE, password: PASSWORD },
      wrong: { phone: PHONE, code: '54321' },
    },
    chats: { group: `-100000000${TEAM}`, direct: String(ANN) },
    unknownChat: '987654321',
    longestText: 4_095,
    peer: {
      sender: { group: sender, direct: sender },
      async say(where, message, { replyTo } = {}) {
        const said = model.say(PEERS[where], {
          message,
          fromId: ANN_PEER,
          ...(replyTo === undefined ? {} : { replyTo: { _: 'messageReplyHeader', replyToMsgId: Number(replyTo) } }),
        });
        return String(said.id);
      },
      heard: async (where, text) => String((await server.heard(PEERS[where], text)).id),
      edit: async (where, id, text) => model.edit(PEERS[where], Number(id), text),
      delete: async (where, id) => model.delete(PEERS[where], Number(id)),
      react: async (where, id, sign) => reacted(where, id, (before) => [...before, sign]),
      unreact: async (where, id, sign) => reacted(where, id, (before) => before.filter((each) => each !== sign)),
      attach: async (where, name, content) => String(model.attach(PEERS[where], name, content).id),
      async sayUnknown(where) {
        model.say(PEERS[where], { message: '', fromId: ANN_PEER, media: { _: 'messageMediaUnsupported' } });
      },
    },
    cut: server.cut,
    down: server.down,
    up: server.up,
    async writeOld(count) {
      // Many in each second, ending now.
      for (let index = 0; index < count; index++) {
        const date = now() - Math.floor((count - index) / 40);
        model.add(PEERS.group, { message: `old ${index}`, fromId: ANN_PEER, date });
      }
    },
    close: server.close,
  };
}
