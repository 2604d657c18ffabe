import {
  addTransactionCapability,
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  encodeWAMessage,
  generateSignalPubKey,
  getNextPreKeys,
  initAuthCreds,
  proto,
  type SignalDataSet,
  unpadRandomMax16,
  writeRandomPadMax16,
} from 'baileys';
import { loadLibrary } from '../../../src/connectors/whatsapp/library.ts';
import { libraryLog } from '../../../src/connectors/whatsapp/socket.ts';
import { silentLog } from '../operation-context.ts';

/** What a device publishes, so that others can begin a session with it. */
export interface KeyBundle {
  registrationId: number;
  identity: Uint8Array;
  signed: { keyId: number; key: Uint8Array; signature: Uint8Array };
  oneTime?: { keyId: number; key: Uint8Array };
}

export interface Sealed {
  type: string;
  content: Uint8Array;
}

const log = libraryLog(silentLog);

/** A phone of another user, or the user's own: it encrypts and decrypts as WhatsApp does. */
export async function createPhone(jid: string) {
  // libsignal prints what it does with sessions, unless it was loaded like this.
  await loadLibrary();
  const creds = initAuthCreds();
  const values = new Map<string, unknown>();
  const keys = addTransactionCapability(
    {
      get: (type, ids) => Object.fromEntries(ids.map((id) => [id, values.get(`${type} ${id}`)])) as never,
      set(data: SignalDataSet) {
        for (const [type, entries] of Object.entries(data)) {
          for (const [id, value] of Object.entries(entries ?? {})) values.set(`${type} ${id}`, value);
        }
      },
    },
    log,
    { maxCommitRetries: 1, delayBetweenTriesMs: 1 },
  );
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, log, async () => []);
  const { update, preKeys } = await getNextPreKeys({ creds, keys } as never, 50);
  Object.assign(creds, update);
  const oneTime = Object.entries(preKeys).map(([id, pair]) => ({ keyId: Number(id), key: pair.public }));
  const senderKeysKnownBy = new Set<string>();

  async function begin(device: string, { registrationId, identity, signed, oneTime: one }: KeyBundle): Promise<void> {
    const publicKey = ({ keyId, key }: { keyId: number; key: Uint8Array }) => ({
      keyId,
      publicKey: generateSignalPubKey(key),
    });
    await repository.injectE2ESession({
      jid: device,
      session: {
        registrationId,
        identityKey: generateSignalPubKey(identity),
        signedPreKey: { ...publicKey(signed), signature: signed.signature },
        ...(one ? { preKey: publicKey(one) } : {}),
      },
    });
  }

  async function sealFor(device: string, message: proto.IMessage | Buffer, bundle: () => KeyBundle): Promise<Sealed> {
    if (!(await repository.validateSession(device)).exists) await begin(device, bundle());
    const data = Buffer.isBuffer(message) ? writeRandomPadMax16(message) : encodeWAMessage(message);
    const { type, ciphertext } = await repository.encryptMessage({ jid: device, data });
    return { type, content: ciphertext };
  }

  return {
    jid,
    /** Each one-time key is given away once. */
    bundle(): KeyBundle {
      const { keyId, keyPair, signature } = creds.signedPreKey;
      const one = oneTime.shift();
      return {
        registrationId: creds.registrationId,
        identity: creds.signedIdentityKey.public,
        signed: { keyId, key: keyPair.public, signature },
        ...(one ? { oneTime: one } : {}),
      };
    },
    sealFor,
    /** For a group; the key of the group goes to the device with the first message. */
    async sealForGroup(group: string, device: string, message: proto.IMessage | Buffer, bundle: () => KeyBundle) {
      const data = Buffer.isBuffer(message) ? writeRandomPadMax16(message) : encodeWAMessage(message);
      const { ciphertext, senderKeyDistributionMessage: key } = await repository.encryptGroupMessage({
        group,
        data,
        meId: jid,
      });
      const sealed: Sealed[] = [{ type: 'skmsg', content: ciphertext }];
      if (senderKeysKnownBy.has(`${group} ${device}`)) return sealed;
      senderKeysKnownBy.add(`${group} ${device}`);
      const share = {
        senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage: key },
      };
      return [await sealFor(device, share, bundle), ...sealed];
    },
    /** Reads what a device sent: encrypted for this phone, and for the group. */
    async read(device: string, group: string, parts: readonly BinaryNode[]): Promise<proto.IMessage> {
      let message: proto.IMessage = {};
      for (const { attrs, content } of parts) {
        const bytes = content as Uint8Array;
        const plain =
          attrs.type === 'skmsg'
            ? await repository.decryptGroupMessage({ group, authorJid: device, msg: bytes })
            : await repository.decryptMessage({ jid: device, type: attrs.type as 'msg', ciphertext: bytes });
        const part = proto.Message.decode(unpadRandomMax16(plain));
        if (part.senderKeyDistributionMessage) {
          await repository.processSenderKeyDistributionMessage({
            authorJid: device,
            item: part.senderKeyDistributionMessage,
          });
        }
        message = { ...message, ...part.toJSON(), ...(part.deviceSentMessage?.message ?? {}) };
      }
      return message;
    },
  };
}

export type Phone = Awaited<ReturnType<typeof createPhone>>;
