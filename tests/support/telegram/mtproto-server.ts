import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { unzipSync } from 'node:zlib';
import type { tl } from '@mtcute/core';
import { createAesIgeForMessage } from '@mtcute/core/utils.js';
import { createCrypto } from '../../../src/connectors/telegram/platform.ts';
import { freePort } from '../free-port.ts';
import { createHandshake } from './handshake.ts';
import { bytesOf, type Request, readerOf, readMethod, tlBytes, word } from './tl.ts';

/** A key that a client has agreed on with the server, with what the server knows of its owner. */
export interface AuthKey {
  key: Buffer;
  isSignedIn: boolean;
}

/** What a handler knows of the client that sent a request. */
export interface Caller {
  auth: AuthKey;
  /** Sends updates to this connection. */
  push(updates: tl.TypeUpdates): void;
}

interface Connection extends Caller {
  wantsUpdates: boolean;
  socket: Socket;
}

export type Handler = (request: tl.RpcMethod, caller: Caller) => Promise<unknown> | unknown;

/** An answer of the server that is an error, such as `FLOOD_WAIT_3` with the code 420. */
export class RpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const INTERMEDIATE = 0xeeeeeeee;
const CONTAINER = 0x73f1f8dc;
const GZIP_PACKED = 0x3072cfa1;
const RPC_ERROR = 0x2144ca19;
const PINGS = [0x7abe77ec, 0xf3427b8c];
const GET_FUTURE_SALTS = 0xb921bd04;
/** Acknowledgements, withdrawn requests, and requests about the session. */
const IGNORED = [0x62d6b459, 0x58e4a740, 0xe7512126, 0xda69fb52, 0x7d861a08];

/** A server of MTProto 2.0 on loopback: TCP, intermediate framing, key exchange, AES-IGE and the TL schema. */
export async function startMtprotoServer(handler: Handler) {
  const crypto = createCrypto();
  await crypto.initialize?.();
  const keys = new Map<string, AuthKey>();
  const connections = new Set<Connection>();
  const port = await freePort();
  let lastId = 0n;
  let server = await listen();

  async function listen() {
    const next = createServer(serve);
    next.listen(port, '127.0.0.1');
    await once(next, 'listening');
    return next;
  }

  function nextId(kind: number): bigint {
    const now = ((BigInt(Date.now()) << 32n) / 1000n) & ~3n;
    lastId = now > lastId ? now : lastId + 4n;
    return lastId | BigInt(kind);
  }

  function addKey(key: Buffer, isSignedIn = false): AuthKey {
    const entry = { key, isSignedIn };
    keys.set(keyId(key), entry);
    return entry;
  }

  function serve(socket: Socket): void {
    socket.setNoDelay(true);
    const handshake = createHandshake(crypto, (key) => void addKey(key));
    const auth: AuthKey = { key: Buffer.alloc(256), isSignedIn: false };
    const connection: Connection = { auth, wantsUpdates: false, socket, push };
    let [salt, session] = [Buffer.alloc(8), Buffer.alloc(8)];
    let sequence = 0;
    let waiting = Buffer.alloc(0);
    let isTagged = false;
    connections.add(connection);
    socket.on('close', () => connections.delete(connection)).on('error', () => {});
    socket.on('data', (data) => {
      waiting = Buffer.concat([waiting, data]);
      if (!isTagged && waiting.length >= 4) {
        if (waiting.readUInt32LE() !== INTERMEDIATE) return void socket.destroy();
        isTagged = true;
        waiting = waiting.subarray(4);
      }
      while (isTagged && waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE()) {
        const length = waiting.readUInt32LE();
        const packet = waiting.subarray(4, 4 + length);
        waiting = waiting.subarray(4 + length);
        receive(packet);
      }
    });

    function receive(packet: Buffer): void {
      if (packet.readBigUInt64LE() === 0n) {
        const answer = handshake.answer(packet.subarray(20));
        if (!answer) return void socket.destroy();
        const head = Buffer.alloc(20);
        head.writeBigUInt64LE(nextId(1), 8);
        head.writeUInt32LE(answer.length, 16);
        return write(Buffer.concat([head, answer]));
      }
      const known = keys.get(packet.subarray(0, 8).toString('hex'));
      if (!known) {
        const refusal = Buffer.alloc(4);
        refusal.writeInt32LE(-404);
        return write(refusal);
      }
      connection.auth = known;
      const messageKey = packet.subarray(8, 24);
      const plain = Buffer.from(
        createAesIgeForMessage(crypto, known.key, messageKey, true).decrypt(packet.subarray(24)),
      );
      [salt, session] = [plain.subarray(0, 8), plain.subarray(8, 16)];
      handle(plain.readBigUInt64LE(16), plain.subarray(32, 32 + plain.readUInt32LE(28)));
    }

    function handle(id: bigint, body: Buffer): void {
      const reader = readerOf(body);
      const kind = reader.uint();
      if (kind === CONTAINER) {
        for (let left = reader.uint(); left > 0; left--) {
          const part = BigInt(reader.long(true).toString());
          reader.uint();
          handle(part, Buffer.from(reader.raw(reader.uint())));
        }
      } else if (kind === GZIP_PACKED) handle(id, unzipSync(reader.bytes()));
      else if (PINGS.includes(kind)) send(Buffer.concat([word(0x347773c5), long(id), body.subarray(4, 12)]), 1);
      else if (kind === GET_FUTURE_SALTS) send(futureSalts(id), 1);
      else if (!IGNORED.includes(kind)) void respond(id, body);
    }

    async function respond(id: bigint, body: Buffer): Promise<void> {
      let request: Request = readMethod(readerOf(body));
      let wantsUpdates = true;
      for (; request.query; request = request.query) if (request._ === 'invokeWithoutUpdates') wantsUpdates = false;
      if (wantsUpdates) connection.wantsUpdates = true;
      const answer = await answered(request as tl.RpcMethod, connection);
      if (!socket.destroyed) send(Buffer.concat([word(0xf35c6d01), long(id), answer]), 1);
    }

    function push(updates: tl.TypeUpdates): void {
      send(bytesOf(updates), 3);
    }

    function send(body: Buffer, kind: number): void {
      const { key } = connection.auth;
      const head = Buffer.concat([salt, session, long(nextId(kind)), word(sequence++ * 2 + 1), word(body.length)]);
      const length = head.length + body.length;
      const plain = Buffer.concat([head, body, randomBytes(12 + ((16 - ((length + 12) % 16)) % 16))]);
      const messageKey = sha256(key.subarray(96, 128), plain).subarray(8, 24);
      const encrypted = createAesIgeForMessage(crypto, key, messageKey, false).encrypt(plain);
      write(Buffer.concat([Buffer.from(keyId(key), 'hex'), messageKey, encrypted]));
    }

    function write(packet: Buffer): void {
      if (!socket.destroyed) socket.write(Buffer.concat([word(packet.length), packet]));
    }
  }

  async function answered(request: tl.RpcMethod, caller: Caller): Promise<Buffer> {
    try {
      return bytesOf(await handler(request, caller));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const code = error instanceof RpcFailure ? error.code : 500;
      return Buffer.concat([word(RPC_ERROR), word(code), tlBytes(Buffer.from(error.message))]);
    }
  }

  function cut(): void {
    for (const { socket } of connections) socket.resetAndDestroy();
  }

  return {
    port,
    crypto,
    addKey,
    keys: () => [...keys.values()],
    /** Sends updates to all clients that are signed in. */
    push(updates: tl.TypeUpdates): void {
      for (const connection of connections) {
        if (connection.wantsUpdates && connection.auth.isSignedIn) connection.push(updates);
      }
    },
    /** Ends all connections abruptly. */
    cut,
    async down(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
    async up(): Promise<void> {
      if (!server.listening) server = await listen();
    },
  };
}

function keyId(key: Buffer): string {
  return createHash('sha1').update(key).digest().subarray(-8).toString('hex');
}

function sha256(...parts: Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function futureSalts(id: bigint): Buffer {
  const now = Math.floor(Date.now() / 1000);
  return Buffer.concat([word(0xae500895), long(id), word(now), word(1), word(now), word(now + 86_400), long(0n)]);
}
