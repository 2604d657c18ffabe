import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { withDeadline } from '../../lib/deadline.ts';
import { createFramer } from '../../lib/framing.ts';
import { noAnswer, WrongServer, wrongSign } from '../connection-failure.ts';
import { type Daemon, type Listener, MAX_LINE_BYTES } from './daemon.ts';
import { createRpc } from './rpc.ts';

const CONNECT_MS = 10_000;
const SIGN_OFF_MS = 2_000;

/** signal-cli over TCP or a Unix socket. */
export async function connectStream(endpoint: string, listener: Listener, signal: AbortSignal): Promise<Daemon> {
  const socket = await opened(endpoint, signal);
  const ended = Promise.withResolvers<Error>();
  let beginning: Buffer | undefined;
  let hasAnswered = false;
  const rpc = createRpc((line) => void socket.write(line), listener);
  const framer = createFramer({
    maxLineBytes: MAX_LINE_BYTES,
    idOf: 'answer',
    onFrame: (frame) => {
      hasAnswered ||= frame.kind === 'message';
      if (frame.kind === 'message') rpc.take(frame.message, () => {});
      else socket.destroy(new Error('signal-cli sent something that cannot be read'));
    },
  });
  let failure: Error | undefined;
  let subscription: unknown;
  socket.once('data', (chunk) => {
    beginning = chunk;
  });
  socket.on('data', framer.push);
  socket.on('error', (error) => {
    failure = error;
  });
  socket.once('close', () => {
    const error = reasonOf('closed', failure ?? new Error('signal-cli closed the connection'));
    rpc.fail(error);
    ended.resolve(error);
  });

  function reasonOf(end: 'closed' | 'silent', cause: Error): Error {
    return hasAnswered ? cause : new WrongServer('signal-cli', wrongSign(beginning, end), cause);
  }

  return {
    call: (...request) =>
      rpc.call(...request).catch((error: Error) => {
        throw error instanceof WrongServer ? error : reasonOf('silent', error);
      }),
    async subscribe(account) {
      subscription = await rpc.call('subscribeReceive', account === undefined ? {} : { account });
    },
    hold: (isHeld) => void (isHeld ? socket.pause() : socket.resume()),
    ended: ended.promise,
    async close() {
      socket.resume();
      // signal-cli forgets what it has written; after the answer nothing more is on its way.
      if (subscription !== undefined && !failure) {
        await rpc.call('unsubscribeReceive', { subscription }, { timeoutMs: SIGN_OFF_MS }).catch(() => {});
      }
      socket.end();
      const patience = setTimeout(() => socket.destroy(), 1_000);
      await ended.promise;
      clearTimeout(patience);
    },
  };
}

async function opened(endpoint: string, signal: AbortSignal): Promise<Socket> {
  const socket = connect(addressOf(endpoint)).setNoDelay(true);
  const tooLate = () => noAnswer({ isConnected: false });
  try {
    await withDeadline(CONNECT_MS, signal, tooLate, (each) => once(socket, 'connect', { signal: each }));
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
}

function addressOf(endpoint: string): { path: string } | { host: string; port: number } {
  const [, path] = /^unix:(?:\/\/)?(\/.*)$/.exec(endpoint) ?? [];
  if (path !== undefined) return { path };
  const { hostname, port } = new URL(endpoint);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
}

const DEFAULT_PORT = 7_583;
