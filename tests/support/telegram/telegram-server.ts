import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { tl } from '@mtcute/core';
import { writeStringSession } from '@mtcute/core/utils.js';
import { SERVER_KEY_PEM } from './handshake.ts';
import { createMethods } from './methods.ts';
import { createModel, ME } from './model.ts';
import { type Caller, RpcFailure, startMtprotoServer } from './mtproto-server.ts';
import { createSignIn } from './sign-in.ts';

type AnyHandler = (request: tl.RpcMethod, caller: Caller) => unknown;

/** Requests that need no account. */
const OPEN = /^(?:auth|help)\.|^account\.getPassword$/;

/** Telegram on loopback, with one account. */
export async function startTelegram({ password }: { password?: string } = {}) {
  const model = createModel();
  const calls: string[] = [];
  const floods = new Map<string, number>();
  const failures = new Map<string, RpcFailure>();
  let tooLong = Number.POSITIVE_INFINITY;
  let onCall: (method: string) => void = () => {};
  const server = await startMtprotoServer(handle);
  const signIn = createSignIn(model, { crypto: server.crypto, ...(password === undefined ? {} : { password }) });
  const handlers = {
    ...createMethods(model, { port: () => server.port, tooLong: () => tooLong }),
    ...signIn.handlers,
  } as Record<string, AnyHandler>;
  model.events.on('updates', (updates: tl.TypeUpdates) => server.push(updates));
  const folder = await mkdtemp(join(tmpdir(), 'telegram-'));
  const keyFile = join(folder, 'server.pem');
  writeFileSync(keyFile, SERVER_KEY_PEM);

  async function handle(request: tl.RpcMethod, caller: Caller): Promise<unknown> {
    calls.push(request._);
    onCall(request._);
    const seconds = floods.get(request._);
    floods.delete(request._);
    if (seconds !== undefined) throw new RpcFailure(420, `FLOOD_WAIT_${seconds}`);
    const failure = failures.get(request._);
    if (failure) throw failure;
    if (!caller.auth.isSignedIn && !OPEN.test(request._)) throw new RpcFailure(401, 'AUTH_KEY_UNREGISTERED');
    const handler = handlers[request._];
    if (!handler) throw new RpcFailure(400, 'METHOD_INVALID');
    return handler(request, caller);
  }

  /** The string of a session whose key the server knows; signed in, or not any more. */
  function session(isSignedIn = true): string {
    const authKey = randomBytes(256);
    server.addKey(authKey, isSignedIn);
    const dc = { id: 2, ipAddress: '127.0.0.1', port: server.port, testMode: true };
    const self = { userId: ME, isBot: false, isPremium: false, usernames: [] };
    return writeStringSession({ version: 3, self, primaryDcs: { main: dc, media: dc }, authKey });
  }

  return {
    model,
    /** The names of all requests so far. */
    calls,
    /** Settings of a source that is not signed in. */
    settings: { api_id: 1, api_hash: 'hash', server: `127.0.0.1:${server.port}`, server_key: keyFile },
    session,
    /** The keys of all clients. */
    keys: server.keys,
    scan: signIn.scan,
    /** The next request of this name has to wait. */
    flood: (method: string, seconds: number) => void floods.set(method, seconds),
    /** Requests of this name fail from now on; without an error, no longer. */
    fail(method: string, code?: number, message = ''): void {
      if (code === undefined) failures.delete(method);
      else failures.set(method, new RpcFailure(code, message));
    },
    /** After more updates than this, none is repeated. */
    forgetAfter: (count: number) => {
      tooLong = count;
    },
    onCall: (hook: (method: string) => void) => {
      onCall = hook;
    },
    /** Resolves when a message with this text was sent to the chat. */
    async heard(peer: tl.TypePeer, text: string): Promise<tl.RawMessage> {
      const find = () => model.boxOf(peer).messages.find((each) => each._ === 'message' && each.message === text);
      for (;;) {
        const found = find();
        if (found?._ === 'message') return found;
        await once(model.events, 'message');
      }
    },
    cut: server.cut,
    down: server.down,
    up: server.up,
    async close(): Promise<void> {
      await server.down();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TelegramServer = Awaited<ReturnType<typeof startTelegram>>;
