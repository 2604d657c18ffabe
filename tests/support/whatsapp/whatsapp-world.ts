import { proto } from 'baileys';
import { whatsapp } from '../../../src/connectors/whatsapp/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { SOURCE } from '../connectors/connected-source.ts';
import type { Where, World } from '../connectors/contract.ts';
import { silentLog } from '../operation-context.ts';
import { startWhatsappServer, type WhatsappServer } from './whatsapp-server.ts';
import { createOwnPhone, createWhatsappUser, type OwnPhone, uploadMedia, type WhatsappUser } from './whatsapp-user.ts';

export const GROUP = '120363040000000001@g.us';

/** The network, with everyone on it. */
export interface WhatsappWorld extends World {
  server: WhatsappServer;
  antti: WhatsappUser;
  phone: OwnPhone;
}

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** An account that is linked, unless told otherwise, with another user and a group of both. */
export async function whatsappWorld({ linked = true } = {}): Promise<WhatsappWorld> {
  const { server, phone, antti } = await startNetwork();
  const secrets = linked ? await linkedSecrets(server) : new Map<string, string>();
  const direct = antti.jid;

  function send(where: Where, content: proto.IMessage | Buffer): Promise<string> {
    return where === 'group' ? antti.sayInGroup(GROUP, content) : antti.say(content);
  }

  const keyIn = (where: Where, id: string) => ({ remoteJid: where === 'group' ? GROUP : direct, fromMe: true, id });
  return {
    kind: 'whatsapp',
    settings: server.settings,
    secrets,
    chats: { group: GROUP, direct },
    unknownChat: '358999999999@s.whatsapp.net',
    server,
    antti,
    phone,
    peer: {
      sender: { group: { id: direct, name: 'Antti' }, direct: { id: direct, name: 'Antti' } },
      say: (where, text, { replyTo } = {}) =>
        send(
          where,
          replyTo === undefined
            ? { conversation: text }
            : { extendedTextMessage: { text, contextInfo: { stanzaId: replyTo, participant: direct } } },
        ),
      async heard(where, text) {
        const to = where === 'group' ? GROUP : direct;
        const found = () => server.heard.find((each) => each.to === to && each.text === text);
        await server.until(() => found() !== undefined);
        return found()?.id ?? '';
      },
      async edit(where, id, text) {
        const editedMessage = { conversation: text };
        await send(where, {
          protocolMessage: { key: keyIn(where, id), type: MESSAGE_EDIT, editedMessage, timestampMs: Date.now() },
        });
      },
      async delete(where, id) {
        await send(where, { protocolMessage: { key: keyIn(where, id), type: REVOKE } });
      },
      async react(where, id, sign) {
        await send(where, { reactionMessage: { key: keyIn(where, id), text: sign, senderTimestampMs: Date.now() } });
      },
      async unreact(where, id) {
        await send(where, { reactionMessage: { key: keyIn(where, id), text: '', senderTimestampMs: Date.now() } });
      },
      async attach(where, name, content) {
        const place = await uploadMedia(server, content, 'document');
        return send(where, { documentMessage: { ...place, fileName: name, mimetype: 'text/plain' } });
      },
      async sayUnknown(where) {
        // A field that this version of the protocol does not have.
        await send(where, Buffer.from([0xfa, 0xf0, 0x04, 0x02, 0x08, 0x01]));
      },
    },
    cut: server.cut,
    down: server.down,
    up: server.up,
    close: server.close,
  };
}

/** The server and its users, without a linked device. */
async function startNetwork() {
  const server = await startWhatsappServer();
  const phone = await createOwnPhone(server);
  const antti = await createWhatsappUser(server, { pn: '358401234567', lid: '200000000000002', name: 'Antti' });
  const members = [phone.person, antti.person];
  server.directory.groups.push({ id: GROUP, subject: 'Team', members });
  return { server, phone, antti };
}

/** Links the account by its QR code; returns the secrets of the source. */
async function linkedSecrets(server: WhatsappServer): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const named = (name: string) => `${SOURCE} ${name}`;
  const login = whatsapp.login?.(server.settings, {
    source: SOURCE,
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    memory: { get: async () => undefined, set: async () => {} },
    secrets: {
      get: async (name) => values.get(named(name)),
      set: async (name, value) => void values.set(named(name), value),
      delete: async (name) => void values.delete(named(name)),
    },
  });
  for (let step = await login?.next(''); step; step = await login?.next('')) {
    if (step.done && step.value.kind !== 'done') throw new Error(step.value.reason, { cause: step.value.cause });
    if (step.done) break;
    if (step.value.kind === 'show-qr') server.scan(step.value.data);
  }
  return values;
}
