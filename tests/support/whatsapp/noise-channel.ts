import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { type BinaryNode, Curve, decodeBinaryNode, encodeBinaryNode, type KeyPair, proto } from 'baileys';
import type { ServerWebSocket } from './websocket.ts';

const PROTOCOL: Buffer = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0');
const EMPTY: Buffer = Buffer.alloc(0);

interface NoiseChannelParts {
  socket: ServerWebSocket;
  /** Certifies the server. */
  root: KeyPair;
  /** The handshake is done: who the client is, with its static key. */
  onClient(payload: proto.ClientPayload, noiseKey: Buffer): void;
  onNode(node: BinaryNode): void;
}

/** The server's end of the Noise XX handshake, and of the encrypted nodes after it. */
export function openNoiseChannel({ socket, root, onClient, onNode }: NoiseChannelParts) {
  const [ephemeral, own] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
  let [bytes, hash, salt, key] = [EMPTY, PROTOCOL, PROTOCOL, PROTOCOL];
  let stage: 'intro' | 'hello' | 'finish' | 'open' = 'intro';
  let count = 0;
  let [sent, received] = [0, 0];
  let keys = { encrypt: EMPTY, decrypt: EMPTY };
  let decoding: Promise<void> = Promise.resolve();

  function authenticate(data: Uint8Array): void {
    hash = createHash('sha256').update(hash).update(data).digest();
  }

  function mix(data: Uint8Array): void {
    [salt, key] = derive(data, salt);
    count = 0;
  }

  function shared({ private: secret }: KeyPair, other: Uint8Array): Uint8Array {
    return Curve.sharedKey(secret, other);
  }

  function encryptHandshake(plain: Uint8Array): Buffer {
    const sealed = encrypt(key, count++, plain, hash);
    authenticate(sealed);
    return sealed;
  }

  function decryptHandshake(sealed: Uint8Array): Buffer {
    const plain = decrypt(key, count++, Buffer.from(sealed), hash);
    authenticate(sealed);
    return plain;
  }

  function hello(frame: Buffer): void {
    const client = proto.HandshakeMessage.decode(frame).clientHello?.ephemeral ?? EMPTY;
    authenticate(client);
    authenticate(ephemeral.public);
    mix(shared(ephemeral, client));
    const staticKey = encryptHandshake(own.public);
    mix(shared(own, client));
    const payload = encryptHandshake(certificateOf(own, root));
    write(
      proto.HandshakeMessage.encode({
        serverHello: { ephemeral: ephemeral.public, static: staticKey, payload },
      }).finish(),
    );
  }

  function finish(frame: Buffer): void {
    const { static: sealedKey, payload } = proto.HandshakeMessage.decode(frame).clientFinish ?? {};
    const noiseKey = decryptHandshake(sealedKey ?? EMPTY);
    mix(shared(ephemeral, noiseKey));
    const client = proto.ClientPayload.decode(decryptHandshake(payload ?? EMPTY));
    const [toServer, toClient] = derive(EMPTY, salt);
    keys = { encrypt: toClient, decrypt: toServer };
    stage = 'open';
    onClient(client, noiseKey);
  }

  function write(data: Uint8Array): void {
    const header = Buffer.alloc(3);
    header.writeUIntBE(data.length, 0, 3);
    socket.send(Buffer.concat([header, data]));
  }

  function take(frame: Buffer): void {
    if (stage === 'hello') {
      stage = 'finish';
      return hello(frame);
    }
    if (stage === 'finish') return finish(frame);
    const plain = decrypt(keys.decrypt, received++, frame, EMPTY);
    // Compressed nodes are decoded later than others, but they stay in their order.
    const node = decodeBinaryNode(plain);
    decoding = decoding.then(async () => onNode(await node));
  }

  socket.onMessage((message) => {
    bytes = Buffer.concat([bytes, message]);
    if (stage === 'intro') {
      authenticate(bytes.subarray(0, 4));
      bytes = bytes.subarray(4);
      stage = 'hello';
    }
    while (bytes.length >= 3 && bytes.length >= 3 + bytes.readUIntBE(0, 3)) {
      const end = 3 + bytes.readUIntBE(0, 3);
      const frame = bytes.subarray(3, end);
      bytes = bytes.subarray(end);
      take(frame);
    }
  });

  return {
    send(node: BinaryNode): void {
      if (stage === 'open') write(encrypt(keys.encrypt, sent++, encodeBinaryNode(node), EMPTY));
    },
  };
}

function derive(data: Uint8Array, salt: Uint8Array): [Buffer, Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', data, salt, '', 64));
  return [bytes.subarray(0, 32), bytes.subarray(32)];
}

function certificateOf(own: KeyPair, root: KeyPair): Uint8Array {
  const intermediate = Curve.generateKeyPair();
  const { Details } = proto.CertChain.NoiseCertificate;
  const detailsOf = (serial: number, issuerSerial: number, key: Uint8Array) =>
    Details.encode({ serial, issuerSerial, key }).finish();
  const [middle, leaf] = [detailsOf(1, 0, intermediate.public), detailsOf(2, 1, own.public)];
  return proto.CertChain.encode({
    intermediate: { details: middle, signature: Curve.sign(root.private, middle) },
    leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
  }).finish();
}

function ivOf(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}

function encrypt(key: Buffer, counter: number, plain: Uint8Array, data: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, ivOf(counter)).setAAD(data);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, counter: number, sealed: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, ivOf(counter)).setAAD(data);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
}
