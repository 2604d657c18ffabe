import { breakableProxy } from '../connectors/breakable-proxy.ts';
import type { Where, World } from '../connectors/contract.ts';
import { type BeeperModel, BOB, createBeeperModel, type Json, TEAM, WITH_BOB } from './beeper-model.ts';
import { startBeeperServer, TOKEN } from './beeper-server.ts';

export interface BeeperWorld extends World {
  model: BeeperModel;
}

/** A stand-in for Beeper Desktop, behind a connection that can be cut; the source is alice, the peer bob. */
export async function beeperWorld(): Promise<BeeperWorld> {
  const model = createBeeperModel();
  const server = await startBeeperServer(model);
  const proxy = await breakableProxy(server.port);
  const url = `http://127.0.0.1:${proxy.port}`;
  const chats: Record<Where, string> = { group: TEAM, direct: WITH_BOB };
  const sender = { id: BOB.id, name: BOB.fullName };

  function write(where: Where, more: Json): string {
    const message = model.add(chats[where], BOB.id, more);
    model.tell(message);
    return message.id;
  }

  return {
    kind: 'beeper',
    settings: { url, access_token: TOKEN },
    wrongSettings: { url, access_token: 'wrong' },
    login: { settings: { url }, answers: { access_token: TOKEN }, wrong: { access_token: 'wrong' } },
    model,
    chats,
    unknownChat: '!nowhere:beeper.local',
    peer: {
      sender: { group: sender, direct: sender },
      say: async (where, text, { replyTo } = {}) =>
        write(where, { text, ...(replyTo === undefined ? {} : { linkedMessageID: replyTo }) }),
      heard: async (where, text) => (await model.sentWith(chats[where], text)).id,
      edit: async (where, id, text) =>
        model.change(chats[where], id, { text, editedTimestamp: new Date().toISOString() }),
      delete: async (where, id) => model.delete(chats[where], id),
      react: async (where, id, reactionKey) =>
        model.change(chats[where], id, { reactions: [{ id: BOB.id, participantID: BOB.id, reactionKey }] }),
      unreact: async (where, id) => model.change(chats[where], id, { reactions: [] }),
      async attach(where, fileName, bytes) {
        const id = `mxc://beeper.local/${model.assets.size + 1}`;
        model.assets.set(id, Buffer.from(bytes));
        const attachment = { type: 'unknown', id, fileName, mimeType: 'text/plain', fileSize: bytes.length };
        return write(where, { type: 'FILE', attachments: [attachment] });
      },
      sayUnknown: async (where) => void write(where, { type: 'HOLOGRAM' }),
    },
    cut: proxy.cut,
    down: proxy.down,
    up: proxy.up,
    async writeOld(count) {
      for (let index = 0; index < count; index += 1) model.add(TEAM, BOB.id, { text: `old ${index}` });
    },
    async close() {
      await proxy.close();
      await server.close();
    },
  };
}
