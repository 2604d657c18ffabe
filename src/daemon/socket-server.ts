import { chmodSync, lstatSync, rmdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { AppError, toAppError } from '../domain/errors.ts';
import { isPrivateFolder } from '../lib/daemon-address.ts';
import type { Hello, HelloReply } from '../lib/daemon-hello.ts';
import type { Log } from '../lib/log.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { readHello } from './hello.ts';

export interface SocketHandlers {
  /** Serves one client until it disconnects. What follows the hello is in the socket. */
  mcp(socket: Socket, hello: Hello): Promise<void>;
  cli(socket: Socket, hello: Hello): Promise<void>;
  /** Throws the reason if this client is refused. For `takeover` and `stop` the shutdown begins. */
  admit(hello: Hello): void;
}

export interface SocketOptions {
  path: string;
  /** The folder of the socket where it is not in the home: made and removed here. */
  folder?: string | undefined;
  describe(): Pick<HelloReply, 'version' | 'kind' | 'uptime_ms' | 'url' | 'config_problem'>;
  /** The variables this daemon was started with, as fingerprints. */
  env: Readonly<Record<string, string>>;
  helloTimeoutMs: number;
  log: Log;
}

/** Listens on the home's socket, for this user only. The caller holds the lock, so an existing socket is stale. */
export async function listenOnSocket(handlers: SocketHandlers, options: SocketOptions) {
  const { path, log } = options;
  const open = new Set<Socket>();
  let closing = false;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', (err) => log.debug({ err }, 'a local connection failed'));
    welcome(socket).catch((err: unknown) => {
      log.debug({ err }, 'a local client was refused');
      socket.destroy();
    });
  });

  async function welcome(socket: Socket): Promise<void> {
    const hello = await readHello(socket, options.helloTimeoutMs);
    // Without an answer it searches for the next daemon.
    if (closing) return void socket.destroy();
    const reply = replyTo(hello);
    try {
      handlers.admit(hello);
    } catch (thrown) {
      socket.end(`${JSON.stringify({ ...reply, error: toAppError(thrown) })}\n`);
      return void socket.resume();
    }
    socket.write(`${JSON.stringify(reply)}\n`);
    // The client that requested the exit sees the end of this connection when everything is done.
    if (hello.door === 'takeover' || hello.door === 'stop') return void socket.resume();
    if (hello.door === 'mcp') await handlers.mcp(socket, hello);
    if (hello.door === 'cli') await handlers.cli(socket, hello);
    socket.end();
    socket.resume();
  }

  function replyTo(hello: Hello): HelloReply {
    const names = new Set([...Object.keys(options.env), ...Object.keys(hello.env)]);
    const differs = [...names].filter((name) => options.env[name] !== hello.env[name]).sort();
    const self = { pid: process.pid, clients: open.size - 1, ...options.describe() };
    return { v: 1, ...self, ...(differs.length === 0 ? {} : { differs }) };
  }

  await listen();
  const ours = identityOf(path);

  async function listen(): Promise<void> {
    if (options.folder !== undefined) ensurePrivate(options.folder);
    rmSync(path, { force: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // No other user may connect, not even between creating the socket and changing its mode.
    const mask = process.umask(0o177);
    server.once('error', reject).listen(path, resolve);
    process.umask(mask);
    try {
      await promise;
      chmodSync(path, 0o600);
    } catch (cause) {
      server.close();
      throw new AppError('SERVICE_UNAVAILABLE', `The socket ${path} cannot be opened.`, { cause });
    }
    server.off('error', reject).on('error', (err) => log.error({ err }, 'could not accept a local client'));
  }

  return {
    clients: () => open.size,
    /**
     * Whether clients can still find us: the socket may have been removed, or belong to the owner of a recreated
     * home.
     */
    socket(): 'ours' | 'gone' | 'replaced' {
      const found = identityOf(path);
      if (found === ours) return 'ours';
      return found === undefined ? 'gone' : 'replaced';
    },
    /** Accepts no new client; connected ones are ended when `drained` has resolved. */
    async close(drained: () => Promise<void>): Promise<void> {
      closing = true;
      // This also removes the socket file.
      server.close();
      if (options.folder !== undefined) removeEmpty(options.folder);
      await drained();
      for (const socket of open) socket.destroySoon();
    },
  };
}

function ensurePrivate(folder: string): void {
  makeFolder(folder);
  if (isPrivateFolder(folder)) return;
  throw new AppError('FORBIDDEN', `The folder ${folder} for the socket is not this user's alone.`, {
    hint: 'Remove it, or let SWITCHBOARD_HOME name a folder with a shorter path, whose socket is in the home.',
  });
}

/** Unless another socket is in it by now. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is used again by the next owner.
  }
}

/** A later socket may have the inode of a removed one, but not its timestamp. */
function identityOf(path: string): string | undefined {
  try {
    const { ino, ctimeMs } = lstatSync(path);
    return `${ino} ${ctimeMs}`;
  } catch {
    return undefined;
  }
}
