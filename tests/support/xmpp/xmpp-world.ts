import { bareJid } from '../../../src/connectors/xmpp/jid.ts';
import { NS } from '../../../src/connectors/xmpp/namespaces.ts';
import { type Element, xml } from '../../../src/connectors/xmpp/xml.ts';
import { breakableProxy } from '../connectors/breakable-proxy.ts';
import type { Where, World } from '../connectors/contract.ts';
import { DOMAIN, ROOMS, startProsody } from './prosody.ts';
import { xmppUser } from './xmpp-user.ts';

const ROOM = `team@${ROOMS}`;
const ME = 'alice';
const PEER = 'bob';
const [MY_JID, PEER_JID] = [`${ME}@${DOMAIN}`, `${PEER}@${DOMAIN}`];
const AT_ONCE = 200;

/**
 * A real Prosody on loopback, behind a connection that can be cut; the source is alice, the peer bob. Alice has another device
 * too, which reads the ids of messages in her archive.
 */
export async function xmppWorld(): Promise<World> {
  const server = await startProsody({ users: [ME, PEER] });
  const proxy = await breakableProxy(server.port);
  const bob = await xmppUser(server.port, PEER);
  const device = await xmppUser(server.port, ME, { resource: 'phone' });
  const occupantId = await bob.join(ROOM, PEER);
  const settings = {
    jid: MY_JID,
    password: `pw-${ME}`,
    service: `xmpp://127.0.0.1:${proxy.port}`,
    tls: false,
    rooms: [ROOM],
  };
  /** The ids that bob gave his messages, by the ids that the source sees. */
  const names = new Map<string, string>();

  async function write(where: Where, ...children: Element[]): Promise<string> {
    const name =
      where === 'group'
        ? await bob.write(ROOM, 'groupchat', ...children)
        : await bob.write(MY_JID, 'chat', ...children);
    const id = where === 'group' ? await bob.stampOf(ROOM, name) : await device.keptId(PEER_JID, name);
    names.set(id, name);
    return id;
  }

  /** In a room, messages are referred to by the room's ids, elsewhere by the senders' ids. */
  function reference(where: Where, id: string): string {
    return where === 'group' ? id : nameOf(id);
  }

  function nameOf(id: string): string {
    const name = names.get(id);
    if (name === undefined) throw new Error('bob has not written this');
    return name;
  }

  const body = (text: string) => xml('body', {}, text);
  const store = () => xml('store', NS.hints);

  return {
    kind: 'xmpp',
    settings,
    wrongSettings: { ...settings, password: 'wrong' },
    chats: { group: ROOM, direct: PEER_JID },
    unknownChat: `nobody@${DOMAIN}`,
    peer: {
      sender: { group: { id: occupantId, name: PEER }, direct: { id: PEER_JID, name: PEER_JID } },
      say: (where, text, { replyTo } = {}) =>
        replyTo === undefined
          ? write(where, body(text))
          : write(where, body(text), xml('reply', { xmlns: NS.reply, id: reference(where, replyTo) })),
      async heard(where, text) {
        const from = where === 'group' ? ROOM : MY_JID;
        const message = await bob.stanza(
          text,
          (each) => bareJid(each.attrs.from ?? '') === from && each.getChildText('body') === text,
        );
        const name = message.attrs.id ?? '';
        return where === 'group' ? bob.stampOf(ROOM, name) : device.keptId(PEER_JID, name);
      },
      async edit(where, id, text) {
        await write(where, body(text), xml('replace', { xmlns: NS.correct, id: nameOf(id) }));
      },
      async delete(where, id) {
        await write(where, xml('retract', { xmlns: NS.retract, id: reference(where, id) }), store());
      },
      async react(where, id, sign) {
        const reaction = xml('reaction', {}, sign);
        await write(where, xml('reactions', { xmlns: NS.reactions, id: reference(where, id) }, reaction), store());
      },
      async unreact(where, id) {
        await write(where, xml('reactions', { xmlns: NS.reactions, id: reference(where, id) }), store());
      },
      async sayUnknown(where) {
        await write(where, xml('dance', 'urn:example:dance'), store());
      },
    },
    cut: proxy.cut,
    down: proxy.down,
    up: proxy.up,
    async writeOld(count) {
      for (let start = 0; start < count; start += AT_ONCE) {
        const size = Math.min(AT_ONCE, count - start);
        await Promise.all(Array.from({ length: size }, (_, index) => write('group', body(`old ${start + index}`))));
      }
    },
    async close() {
      await Promise.all([bob.close(), device.close()]);
      await proxy.close();
      await server.stop();
    },
  };
}
