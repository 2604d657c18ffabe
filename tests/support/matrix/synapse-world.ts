import { randomBytes } from 'node:crypto';
import { breakableProxy } from '../connectors/breakable-proxy.ts';
import type { Where, World } from '../connectors/contract.ts';
import { type Content, matrixUser } from './matrix-user.ts';
import { SERVER_NAME, type Synapse } from './synapse.ts';

/** Two new users on a running Synapse, which the source reaches through a connection that can be cut. */
export async function synapseWorld(server: Synapse): Promise<World> {
  const suffix = randomBytes(4).toString('hex');
  const [me, peer] = [`alice-${suffix}`, `bob-${suffix}`];
  await server.register(me, { displayName: 'Alice' });
  await server.register(peer, { displayName: 'Bob' });
  const alice = await matrixUser(server.url, me);
  const bob = await matrixUser(server.url, peer);
  const chats: Record<Where, string> = {
    group: await bob.createRoom({ name: 'Team', invite: [alice.id] }),
    direct: await bob.createRoom({ invite: [alice.id], isDirect: true }),
  };
  for (const room of Object.values(chats)) await alice.join(room);
  await alice.setAccountData('m.direct', { [bob.id]: [chats.direct] });
  const proxy = await breakableProxy(server.port);
  const sender = { id: bob.id, name: 'Bob' };
  const homeserver = `http://127.0.0.1:${proxy.port}`;
  const settings = { homeserver, user: alice.id, password: `pw-${me}`, rooms: [] };
  const message = (where: Where, content: Content) => bob.write(chats[where], 'm.room.message', content);
  const text = (body: string) => ({ msgtype: 'm.text', body });

  return {
    kind: 'matrix',
    settings,
    wrongSettings: { ...settings, password: 'wrong' },
    login: {
      settings: { homeserver, rooms: [] },
      answers: { user: alice.id, password: `pw-${me}` },
      wrong: { user: alice.id, password: `pw-${peer}` },
    },
    chats,
    unknownChat: `!nowhere:${SERVER_NAME}`,
    peer: {
      sender: { group: sender, direct: sender },
      say: (where, body, { replyTo } = {}) =>
        message(where, {
          ...text(body),
          ...(replyTo === undefined ? {} : { 'm.relates_to': { 'm.in_reply_to': { event_id: replyTo } } }),
        }),
      heard: async (where, body) =>
        (await bob.found(chats[where], ({ sender: by, content }) => by === alice.id && content.body === body)).event_id,
      async edit(where, id, body) {
        await message(where, {
          ...text(`* ${body}`),
          'm.new_content': text(body),
          'm.relates_to': { rel_type: 'm.replace', event_id: id },
        });
      },
      async delete(where, id) {
        await bob.redact(chats[where], id);
      },
      async react(where, id, key) {
        await bob.write(chats[where], 'm.reaction', {
          'm.relates_to': { rel_type: 'm.annotation', event_id: id, key },
        });
      },
      async unreact(where, id) {
        const reaction = await bob.found(
          chats[where],
          ({ type, content }) =>
            type === 'm.reaction' && (content['m.relates_to'] as { event_id?: string } | undefined)?.event_id === id,
        );
        await bob.redact(chats[where], reaction.event_id);
      },
      attach: async (where, name, content) =>
        message(where, {
          msgtype: 'm.file',
          body: name,
          url: await bob.upload(content, 'text/plain'),
          info: { mimetype: 'text/plain', size: content.length },
        }),
      async sayUnknown(where) {
        await message(where, { msgtype: 'org.example.hologram', body: 'a hologram' });
      },
    },
    cut: proxy.cut,
    down: proxy.down,
    up: proxy.up,
    async writeOld(count) {
      for (let number = 0; number < count; number++) await message('group', text(`old ${number}`));
    },
    close: proxy.close,
  };
}
