import { breakableProxy } from '../connectors/breakable-proxy.ts';
import type { Where, World } from '../connectors/contract.ts';
import { startErgo } from './ergo.ts';
import { ircUser } from './irc-user.ts';

const GROUP = '#Team';
const ME = 'alice';
const PEER = 'bob';
/** As many lines as one page of history, sent concurrently; Ergo does not throttle them. */
const AT_ONCE = 200;

/** A real Ergo on loopback, behind a connection that can be cut; the source is alice, the peer bob. */
export async function ircWorld(): Promise<World> {
  const server = await startErgo();
  const proxy = await breakableProxy(server.port);
  const account = await ircUser(server.port, { nick: ME, account: ME });
  // The server keeps her session and her direct messages while she is disconnected.
  account.write('NS SET always-on true');
  await account.line('that she stays', ({ nick, raw }) => nick === 'NickServ' && raw.includes('always-on'));
  await account.close();
  const bob = await ircUser(server.port, { nick: PEER, account: PEER });
  await bob.join(GROUP);
  const targets: Record<Where, string> = { group: GROUP, direct: ME };
  const sender = { id: PEER, name: PEER };
  const settings = {
    host: '127.0.0.1',
    port: proxy.port,
    tls: false,
    nick: ME,
    password: `pw-${ME}`,
    channels: [GROUP],
  };

  return {
    kind: 'irc',
    settings,
    wrongSettings: { ...settings, password: 'wrong' },
    chats: { group: GROUP.toLowerCase(), direct: PEER },
    unknownChat: '#nowhere',
    longestText: 300,
    peer: {
      sender: { group: sender, direct: sender },
      say: (where, text, { replyTo } = {}) =>
        bob.say(targets[where], text, replyTo === undefined ? '' : `+draft/reply=${replyTo}`),
      async heard(where, text) {
        const target = where === 'group' ? GROUP : PEER;
        const line = await bob.line(
          text,
          ({ command, nick, params }) =>
            command === 'PRIVMSG' && nick === ME && params[0] === target && params[1] === text,
        );
        return line.tags.msgid ?? '';
      },
      async delete(where, id) {
        await bob.ask(`REDACT ${targets[where]} ${id} :gone`);
      },
      async react(where, id, sign) {
        await bob.ask(`TAGMSG ${targets[where]}`, `+draft/reply=${id};+draft/react=${sign}`);
      },
      async unreact(where, id, sign) {
        await bob.ask(`TAGMSG ${targets[where]}`, `+draft/reply=${id};+draft/unreact=${sign}`);
      },
      async sayUnknown(where) {
        await bob.ask(`PRIVMSG ${targets[where]} :\x01DCC SEND file 2130706433 9 9\x01`);
      },
    },
    cut: proxy.cut,
    down: proxy.down,
    up: proxy.up,
    async writeOld(count) {
      for (let start = 0; start < count; start += AT_ONCE) {
        const size = Math.min(AT_ONCE, count - start);
        await Promise.all(Array.from({ length: size }, (_, index) => bob.say(GROUP, `old ${start + index}`)));
      }
    },
    async close() {
      await bob.close();
      await proxy.close();
      await server.stop();
    },
  };
}
