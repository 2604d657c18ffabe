import type { Where, World } from '../connectors/contract.ts';
import { startHomeserver } from './homeserver.ts';
import type { Content, StoredEvent } from './model.ts';

/** A homeserver on loopback; the source is alice, who signs in with her password, and the peer bob. */
export async function matrixWorld(): Promise<World> {
  const server = await startHomeserver();
  const { model } = server;
  const alice = model.addUser('alice', 'pw-alice', 'Alice');
  const bob = model.addUser('bob', 'pw-bob', 'Bob');
  const chats: Record<Where, string> = {
    group: model.createRoom(bob, { name: 'Team', members: [alice] }),
    direct: model.createRoom(bob, { members: [alice] }),
  };
  model.setAccountData(alice, 'm.direct', { [bob]: [chats.direct] });
  const sender = { id: bob, name: 'Bob' };
  const settings = { homeserver: server.url, user: alice, password: 'pw-alice', rooms: [] };

  const write = async (where: Where, type: string, content: Content): Promise<string> =>
    model.append(chats[where], { type, sender: bob, content }).event_id;

  async function redact(where: Where, target: string): Promise<void> {
    model.append(chats[where], { type: 'm.room.redaction', sender: bob, content: {}, redacts: target });
  }

  return {
    kind: 'matrix',
    settings,
    wrongSettings: { ...settings, password: 'wrong' },
    login: {
      settings: { homeserver: server.url, rooms: [] },
      answers: { user: alice, password: 'pw-alice' },
      wrong: { user: alice, password: 'pw-bob' },
    },
    chats,
    unknownChat: '!nowhere:hs.test',
    peer: {
      sender: { group: sender, direct: sender },
      say: (where, text, { replyTo } = {}) =>
        write(where, 'm.room.message', {
          msgtype: 'm.text',
          body: replyTo === undefined ? text : `> <${bob}> what he answers\n\n${text}`,
          ...(replyTo === undefined ? {} : { 'm.relates_to': { 'm.in_reply_to': { event_id: replyTo } } }),
        }),
      heard: (where, text) =>
        firstEvent(server, chats[where], ({ sender: by, content }) => by === alice && content.body === text),
      async edit(where, id, text) {
        await write(where, 'm.room.message', {
          msgtype: 'm.text',
          body: `* ${text}`,
          'm.new_content': { msgtype: 'm.text', body: text },
          'm.relates_to': { rel_type: 'm.replace', event_id: id },
        });
      },
      delete: redact,
      async react(where, id, sign) {
        await write(where, 'm.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id: id, key: sign } });
      },
      async unreact(where, _id, sign) {
        await redact(where, await firstEvent(server, chats[where], ({ content }) => keyOf(content) === sign));
      },
      attach: (where, name, content) =>
        write(where, 'm.room.message', {
          msgtype: 'm.file',
          body: name,
          url: server.addMedia(content),
          info: { mimetype: 'text/plain', size: content.length },
        }),
      async sayUnknown(where) {
        await write(where, 'm.room.message', { msgtype: 'org.example.hologram', body: 'a hologram' });
      },
    },
    cut: server.cut,
    down: server.down,
    up: server.up,
    async writeOld(count) {
      for (let number = 0; number < count; number += 1) {
        await write('group', 'm.room.message', { msgtype: 'm.text', body: `old ${number}` });
      }
    },
    async close() {
      await server.close();
      if (server.violations.length > 0) throw new Error(server.violations.join('\n'));
    },
  };
}

function keyOf({ 'm.relates_to': relation }: Content): unknown {
  return (relation as { key?: unknown } | undefined)?.key;
}

/** The id of the first event of a room that matches, once there is one. */
async function firstEvent(
  { model }: Awaited<ReturnType<typeof startHomeserver>>,
  room: string,
  fits: (event: StoredEvent) => boolean,
): Promise<string> {
  for (;;) {
    const found = model.room(room).events.find(fits);
    if (found) return found.event_id;
    await new Promise<void>((resolve) => {
      const off = model.onChange(() => {
        off();
        resolve();
      });
    });
  }
}
