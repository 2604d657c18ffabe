import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeHttpOptions, ServeOptions } from './cli/composition.ts';
import type { Program } from './compose.ts';
import { ensureHome } from './config/home.ts';
import type { Lock } from './daemon/lock.ts';
import { AppError } from './domain/errors.ts';
import type { SessionId } from './domain/ids.ts';
import { isOpen, type Session } from './domain/session.ts';
import { type Doors, openDoors, openHttp } from './doors.ts';
import { daemonAddress } from './lib/daemon-address.ts';
import { AUTOSTART_OFF, LOCK_HELD } from './lib/daemon-exit-codes.ts';
import { fingerprints, type Hello } from './lib/daemon-hello.ts';
import { logLevelOf } from './lib/log.ts';
import { guardStdout } from './lib/stdout-guard.ts';
import { stopSignal } from './lib/stop-signal.ts';
import { version } from './lib/version.ts';

/** How this process came to own the home: by itself, by a person, or inside an assistant's stdio server. */
type OwnerKind = 'auto' | 'serve' | 'embedded';

/** How long clients wait for the next owner before they start one themselves. */
const HANDOVER_MS = 10_000;

/** `switchboard daemon run`: what a shim starts in the background. */
export async function runDaemon(program: Program): Promise<number> {
  const config = await program.settings();
  if (!config.daemon.autostart) return AUTOSTART_OFF;
  const lock = await lockHome(program);
  if (!lock) return LOCK_HELD;
  const owner = await own(program, lock, 'auto');
  const { watchIdle } = await import('./daemon/idle-watch.ts');
  const unwatch = watchIdle({
    idleExitMs: config.daemon.idle_exit_ms,
    isBusy: () => owner.clients() > 0,
    isAtHome: owner.isAtHome,
    onIdle: () => owner.end('idle'),
    // There is nothing left to be written, and nowhere to write it.
    onHomeless: () => process.exit(0),
  });
  await owner.over;
  unwatch();
  await owner.close();
  return 0;
}

/** `switchboard serve` and `mcp --port`: owns the home in the foreground, with HTTP. */
export async function serveHttp(program: Program, options: ServeHttpOptions): Promise<number> {
  const owner = await own(program, await takeHome(program), 'serve');
  const http = await openHttp(program, owner.doors, options);
  program.log.info({ url: `${http.url}/mcp` }, `Switchboard is listening: MCP is at ${http.url}/mcp`);
  await owner.over;
  program.log.info({}, 'shutting down: requests in flight are answered first');
  await Promise.all([http.close(), owner.close()]);
  return 0;
}

/** `switchboard mcp --embedded`: owns the home inside the stdio process; attaches to the owner where there is one. */
export async function serveStdio(program: Program, options: ServeOptions): Promise<number | 'attach'> {
  const lock = await lockHome(program);
  if (!lock) return 'attach';
  guardStdout();
  const owner = await own(program, lock, 'embedded');
  const { door, offer, serveStreams, local } = owner.doors;
  const { log } = program;
  await serveStreams(
    { ...door, setLogLevel: (level) => log.setLevel(logLevelOf(level) ?? 'info') },
    {
      registry: offer(options),
      principal: local,
      only: options.only,
      input: process.stdin,
      output: process.stdout,
      stop: owner.stop,
    },
  );
  await owner.close();
  return 0;
}

async function lockHome({ home }: Program): Promise<Lock | undefined> {
  ensureHome(home);
  const { takeLock } = await import('./daemon/lock.ts');
  return takeLock(join(home, 'run', 'owner.lock'));
}

/** The lock, from whoever has it where that is a daemon that came up by itself. */
async function takeHome(program: Program): Promise<Lock> {
  const giveUpAt = Date.now() + HANDOVER_MS;
  for (;;) {
    const lock = await lockHome(program);
    if (lock) return lock;
    const { askToHandOver } = await import('./shim/attach.ts');
    const refusal = await askToHandOver(program.home, await helloOf('takeover'));
    if (refusal) throw new AppError('CONFLICT', refusal.message, { hint: 'End that process first.' });
    if (Date.now() > giveUpAt) {
      throw new AppError('CONFLICT', `Another process owns ${program.home} and does not answer.`);
    }
    await sleep(20);
  }
}

export async function helloOf(door: Hello['door']): Promise<Hello> {
  return {
    v: 1,
    door,
    version: version(),
    cwd: process.cwd(),
    pid: process.pid,
    ppid: process.ppid,
    env: await fingerprints(process.env),
  };
}

/** Owns the home: opens the store and listens for the user's other processes. */
async function own(program: Program, lock: Lock, kind: OwnerKind) {
  const [doors, { listenOnSocket }, { answerCalls }, env] = await Promise.all([
    openDoors(program),
    import('./daemon/socket-server.ts'),
    import('./daemon/calls.ts'),
    fingerprints(process.env),
  ]);
  const { config, store } = doors;
  const stopping = stopSignal({ withParent: kind === 'embedded' });
  const ending = new AbortController();
  const over = Promise.withResolvers<void>();
  const clients = new Set<Socket>();
  const serving = new Set<Promise<unknown>>();

  for (const item of await store.outbox.recover()) {
    program.log.warn({ outbox: item.id, source: item.source }, 'it is not known whether this was sent');
  }

  const server = await listenOnSocket(
    {
      async mcp(socket, hello) {
        clients.add(socket);
        const served = await track(serveClient(doors, socket, hello, ending.signal));
        clients.delete(socket);
        if (served === 'shutdown') socket.write('\0exit 0\n');
      },
      cli: (socket) => track(answerCalls(socket, program.callByName)),
      takeOver({ pid }) {
        if (kind !== 'auto') {
          const what = kind === 'serve' ? 'switchboard serve' : 'switchboard mcp --embedded';
          throw new AppError('CONFLICT', `${what} (process ${process.pid}) owns ${program.home}.`);
        }
        program.log.info({ pid }, 'handing over to another process');
        end('handover');
      },
    },
    {
      path: daemonAddress(program.home),
      reply: { version: version(), kind: kind === 'auto' ? 'auto' : 'serve' },
      env,
      helloTimeoutMs: config.limits.connect_timeout_ms,
      log: program.log,
    },
  );

  /** The store stays open as long as somebody is being served. */
  async function track<T>(work: Promise<T>): Promise<T> {
    serving.add(work);
    return work.finally(() => serving.delete(work));
  }

  function end(why: 'idle' | 'handover' | 'stopped'): void {
    const word = why === 'handover' ? `wait ${HANDOVER_MS}` : 'rest';
    for (const socket of clients) socket.write(`\0${word}\n`);
    ending.abort(why);
    over.resolve();
  }
  stopping.addEventListener('abort', () => end('stopped'), { once: true });
  if (stopping.aborted) end('stopped');

  return {
    doors,
    clients: server.clients,
    isAtHome: server.isThere,
    over: over.promise,
    stop: ending.signal,
    end,
    async close(): Promise<void> {
      if (!ending.signal.aborted) end('stopped');
      await server.close(async () => {
        await Promise.allSettled(serving);
        await program.close();
        lock.release();
      });
    },
  };
}

async function serveClient(
  { door, offer, serveStreams, local, store }: Doors,
  socket: Socket,
  hello: Hello,
  stop: AbortSignal,
) {
  const only = hello.only ?? [];
  const restored = hello.session === undefined ? undefined : await store.sessions.find(hello.session as SessionId);
  return serveStreams(door, {
    registry: offer({ only, readOnly: hello.read_only ?? false }),
    principal: local,
    only,
    input: socket,
    output: socket,
    stop,
    outlivesProcess: true,
    ...(restored && mayRestore(restored) ? { restored } : {}),
    onSession: ({ id }) => socket.write(`\0session ${id}\n`),
  });
}

function mayRestore(session: Session): boolean {
  return session.transport === 'stdio' && isOpen(session);
}
