import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { AppError, toAppError } from '../domain/errors.ts';
import type { Hello, HelloReply } from '../lib/daemon-hello.ts';
import type { Log } from '../lib/log.ts';

export interface SocketRooms {
  /** Serves one client until it is gone. What follows the hello is in the socket. */
  mcp(socket: Socket, hello: Hello): Promise<void>;
  cli(socket: Socket, hello: Hello): Promise<void>;
  /** Begins to hand the home over, or throws why not; the socket is closed when it has been. */
  takeOver(hello: Hello): void;
}

export interface SocketOptions {
  path: string;
  reply: Pick<HelloReply, 'version' | 'kind'>;
  /** The variables this daemon was started with, as fingerprints. */
  env: Readonly<Record<string, string>>;
  helloTimeoutMs: number;
  log: Log;
}

const LONGEST_HELLO = 64 * 1024;

/** Listens on the home's socket, for this user alone. Whoever calls holds the lock, so that what is there is stale. */
export async function listenOnSocket(rooms: SocketRooms, options: SocketOptions) {
  const { path, log } = options;
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', (err) => log.debug({ err }, 'a local connection failed'));
    welcome(socket).catch((err: unknown) => {
      log.debug({ err }, 'a local client was turned away');
      socket.destroy();
    });
  });

  async function welcome(socket: Socket): Promise<void> {
    const hello = await readHello(socket, options.helloTimeoutMs);
    try {
      if (hello.door === 'takeover') rooms.takeOver(hello);
    } catch (thrown) {
      return void socket.end(`${JSON.stringify({ ...replyTo(hello), error: toAppError(thrown) })}\n`);
    }
    socket.write(`${JSON.stringify(replyTo(hello))}\n`);
    if (hello.door === 'mcp') await rooms.mcp(socket, hello);
    if (hello.door === 'cli') await rooms.cli(socket, hello);
    if (hello.door !== 'takeover') socket.end();
  }

  function replyTo(hello: Hello): HelloReply {
    const names = new Set([...Object.keys(options.env), ...Object.keys(hello.env)]);
    const differs = [...names].filter((name) => options.env[name] !== hello.env[name]).sort();
    return { v: 1, pid: process.pid, ...options.reply, ...(differs.length === 0 ? {} : { differs }) };
  }

  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    // Nobody else may come in, not even between the moment it is there and the moment it is closed to others.
    const mask = process.umask(0o177);
    server.once('error', reject).listen(path, resolve);
    process.umask(mask);
  });
  chmodSync(path, 0o600);
  const { ino } = lstatSync(path);

  return {
    clients: () => open.size,
    /** Whether the socket is still the one we made: gone or another's means that the home is not ours any more. */
    isThere: () => lstatSync(path, { throwIfNoEntry: false })?.ino === ino,
    /** No new client; those that are there are ended when `drained` has done its work. */
    async close(drained: () => Promise<void>): Promise<void> {
      server.close();
      await drained();
      if (this.isThere()) rmSync(path, { force: true });
      for (const socket of open) socket.destroySoon();
    },
  };
}

export type SocketServer = Awaited<ReturnType<typeof listenOnSocket>>;

function readHello(socket: Socket, timeoutMs: number): Promise<Hello> {
  const { promise, resolve, reject } = Promise.withResolvers<Hello>();
  const parts: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    const end = chunk.indexOf(0x0a);
    parts.push(end === -1 ? chunk : chunk.subarray(0, end));
    size += chunk.length;
    if (end === -1) {
      if (size > LONGEST_HELLO) reject(new Error('a hello that does not end'));
      return;
    }
    socket.pause().off('data', onData);
    const rest = chunk.subarray(end + 1);
    if (rest.length > 0) socket.unshift(rest);
    try {
      resolve(parseHello(Buffer.concat(parts).toString('utf8')));
    } catch (error) {
      reject(error);
    }
  };
  const onGone = () => reject(new Error('gone before it said hello'));
  socket.on('data', onData).once('close', onGone).setTimeout(timeoutMs, onGone);
  return promise.finally(() => socket.setTimeout(0).off('close', onGone).removeAllListeners('timeout'));
}

function parseHello(text: string): Hello {
  const hello = JSON.parse(text) as Partial<Hello>;
  const { v, door, version, env, only = [], session } = hello;
  const isSound =
    v === 1 &&
    (door === 'mcp' || door === 'cli' || door === 'takeover') &&
    typeof version === 'string' &&
    typeof env === 'object' &&
    env !== null &&
    Array.isArray(only) &&
    only.every((name) => typeof name === 'string') &&
    (session === undefined || typeof session === 'string');
  if (!isSound) throw new AppError('VALIDATION_ERROR', 'This is not the hello of a Switchboard program.');
  return hello as Hello;
}
