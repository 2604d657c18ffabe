import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { getMediaKeys, proto } from 'baileys';
import type { Person } from './directory.ts';
import { node, seconds } from './nodes.ts';
import { createPhone, type Sealed } from './phone.ts';
import { DEVICE, ME, type WhatsappServer } from './whatsapp-server.ts';

interface Options {
  id?: string;
  /** In seconds. */
  at?: number;
  attrs?: Record<string, string>;
}

type Content = proto.IMessage | Buffer;

/** A user with a phone, who sends to the linked device. */
export async function createWhatsappUser(server: WhatsappServer, { pn, lid, name }: Omit<Person, 'phone'>) {
  const jid = `${pn}@s.whatsapp.net`;
  const phone = await createPhone(jid);
  const person: Person = { phone, pn, lid, name };
  server.directory.people.push(person);
  let sending: Promise<unknown> = Promise.resolve();

  /** Messages of a phone are encrypted one after the other. */
  function inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = sending.then(work);
    sending = result.catch(() => {});
    return result;
  }

  function deliver(sealed: readonly Sealed[], { id = newId(), at, attrs }: Options): string {
    const parts = sealed.map(({ type, content }) => node('enc', { v: '2', type }, Buffer.from(content)));
    const t = at === undefined ? seconds() : String(at);
    server.deliver(node('message', { id, t, type: 'text', notify: name, ...attrs }, parts));
    return id;
  }

  return {
    person,
    jid,
    /** To the user alone. */
    say: (content: Content, options: Options = {}) =>
      inOrder(async () => {
        const sealed = await phone.sealFor(DEVICE, content, server.bundle);
        return deliver([sealed], { ...options, attrs: { from: jid, sender_lid: `${lid}@lid`, ...options.attrs } });
      }),
    sayInGroup: (group: string, content: Content, options: Options = {}) =>
      inOrder(async () => {
        const sealed = await phone.sealForGroup(group, DEVICE, content, server.bundle);
        const attrs = { from: group, participant: jid, participant_lid: `${lid}@lid`, ...options.attrs };
        return deliver(sealed, { ...options, attrs });
      }),
    /** Delivers a message that no one can decrypt. */
    sayDamaged: (id: string) =>
      deliver([{ type: 'msg', content: randomBytes(64) }], { id, attrs: { from: jid, sender_lid: `${lid}@lid` } }),
  };
}

export type WhatsappUser = Awaited<ReturnType<typeof createWhatsappUser>>;

/** The user's own phone. */
export async function createOwnPhone(server: WhatsappServer) {
  const user = await createWhatsappUser(server, { ...ME, name: 'Me' });
  const peer = { category: 'peer', sender_lid: '' };

  return {
    ...user,
    /** Something that the user wrote on the phone. */
    wrote: (to: string, message: proto.IMessage, options: Options = {}) =>
      user.say(
        { deviceSentMessage: { destinationJid: to, message } },
        { ...options, attrs: { recipient: to, ...options.attrs } },
      ),
    /** Sends a part of the history: in the message itself, or as a file. */
    async sendHistory(history: proto.IHistorySync, { asFile = false } = {}): Promise<string> {
      const bytes = deflateSync(proto.HistorySync.encode(history).finish());
      const { syncType = null, chunkOrder = null, progress = null } = history;
      const place = asFile
        ? await uploadMedia(server, bytes, 'md-msg-hist')
        : { initialHistBootstrapInlinePayload: bytes };
      return user.say(
        {
          protocolMessage: {
            type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
            historySyncNotification: { syncType, chunkOrder, progress, ...place },
          },
        },
        { attrs: { ...peer, recipient: user.jid } },
      );
    },
  };
}

export type OwnPhone = Awaited<ReturnType<typeof createOwnPhone>>;

/** Puts an encrypted file on the server; returns how to get it. */
export async function uploadMedia(server: WhatsappServer, content: Uint8Array, kind: 'document' | 'md-msg-hist') {
  const mediaKey = randomBytes(32);
  const { cipherKey, iv, macKey } = await getMediaKeys(mediaKey, kind);
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  const mac = createHmac('sha256', macKey ?? '')
    .update(iv)
    .update(sealed)
    .digest()
    .subarray(0, 10);
  const directPath = `/v/t62.7119-24/${randomBytes(8).toString('hex')}.enc?ccb=11-4&oh=01_x&oe=1`;
  server.files.set(directPath, Buffer.concat([sealed, mac]));
  return { directPath, mediaKey, fileLength: content.length };
}

function newId(): string {
  return `3A${randomBytes(9).toString('hex').toUpperCase()}`;
}
