import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Program } from '../compose.ts';
import { answerCalls, type Calls } from '../daemon/answer-calls.ts';
import { startHousekeeping } from '../daemon/housekeeping.ts';
import { listenOnSocket, type SocketRooms } from '../daemon/socket-server.ts';
import { AppError } from '../domain/errors.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Origin } from '../domain/origin.ts';
import { isOpen, type Session } from '../domain/session.ts';
import { daemonAddress } from '../lib/daemon-address.ts';
import { controlLine, fingerprints, type Hello, type OwnerKind } from '../lib/daemon-hello.ts';
import type { Lock } from '../lib/lock.ts';
import { version } from '../lib/version.ts';
import { type Doors, openDoors } from './doors.ts';
import { originOf } from './origin.ts';
import { followConfig } from './reload.ts';

/** How long clients wait for the next owner before they start one themselves. */
const HANDOVER_MS = 5_000;

/** Why an owner ends; what its clients are told follows from it. */
type Ending = 'idle' | 'stopped' | 'lost' | 'handover';

export interface OwnerOptions {
  kind: OwnerKind;
  lock: Lock;
  /** Aborted when this process is asked to end. */
  stop: AbortSignal;
}

/** Owns the home: opens the store and listens for the user's other processes. What fails releases the home. */
export async function own(program: Program, options: OwnerOptions) {
  try {
    return await open(program, options);
  } catch (thrown) {
    await program.close();
    options.lock.release();
    throw thrown;
  }
}

async function open(program: Program, { kind, lock, stop }: OwnerOptions) {
  const { home, log, clock } = program;
  const startedAt = clock.now();
  const [doors, env] = await Promise.all([
    openDoors(program, { servesHttp: kind === 'serve' }),
    fingerprints(process.env),
  ]);
  const { config, store } = doors;
  const ending = new AbortController();
  const over = Promise.withResolvers<void>();
  const clients = new Set<Socket>();
  const serving = new Set<Promise<unknown>>();
  /** Sessions whose clients are here, or were. */
  const held = new Set<string>();
  let url: string | undefined;
  let heldOnHttp = (_: string) => false;

  const rooms: SocketRooms = {
    async mcp(socket, hello) {
      clients.add(socket);
      welcome(originOf(hello));
      try {
        const served = await track(serveClient(doors, socket, hello, ending.signal, held));
        if (served === 'shutdown') socket.write(controlLine('exit', 0));
      } finally {
        clients.delete(socket);
      }
    },
    cli: (socket, hello) => {
      const origin = originOf(hello);
      welcome(origin);
      const calls: Calls = {
        call: (name, input, how) => program.callByName(name, input, { ...how, origin }),
        follow: (name, input, how) => program.followByName(name, input, { ...how, origin }),
      };
      return track(answerCalls(socket, calls, { signal: ending.signal, handoverMs: () => handoverMs(ending.signal) }));
    },
    admit({ door, pid, only = [], read_only: readOnly = false }) {
      if (door === 'mcp') doors.offer({ only, readOnly });
      if (door !== 'stop' && door !== 'takeover') return;
      if (kind !== 'auto') throw keptBy(kind, process.pid, home);
      log.info({ pid }, door === 'stop' ? 'asked to end' : 'handing over to another process');
      end(door === 'stop' ? 'stopped' : 'handover');
    },
  };
  const server = await listenOnSocket(rooms, {
    path: daemonAddress(home),
    describe: () => ({ version: version(), kind, uptime_ms: clock.now() - startedAt, ...(url && { url }) }),
    env,
    helloTimeoutMs: config.current().limits.connect_timeout_ms,
    log,
  });
  const stopFollowing = followConfig(program);
  for (const capability of program.capabilities) await capability.start?.();
  const stopHousekeeping = startHousekeeping({
    sessions: store.sessions,
    retention: program.capabilities.flatMap(({ retention = [] }) => retention),
    clock,
    log,
    get sessionIdleMs() {
      return config.current().mcp.session_idle_ms;
    },
    isHeld: ({ id }) => held.has(id) || heldOnHttp(id),
  });

  function welcome(origin: Origin): void {
    for (const capability of program.capabilities) capability.welcome?.(origin);
  }

  async function isBusy(): Promise<boolean> {
    if (server.clients() > 0) return true;
    try {
      for (const capability of program.capabilities) if (await capability.keepsDaemonAlive?.()) return true;
      return false;
    } catch (err) {
      log.warn({ err }, 'it is not known whether the daemon is still needed');
      return true;
    }
  }

  /** The store stays open as long as somebody is being served. */
  async function track<T>(work: Promise<T>): Promise<T> {
    serving.add(work);
    return work.finally(() => serving.delete(work));
  }

  function end(why: Ending): void {
    if (ending.signal.aborted) return;
    for (const socket of clients) socket.write(goodbye(kind, why));
    ending.abort(why);
    over.resolve();
  }
  stop.addEventListener('abort', () => end('stopped'), { once: true });
  if (stop.aborted) end('stopped');

  return {
    doors,
    isBusy,
    /** Resolves when it is time to end. */
    over: over.promise,
    ending: ending.signal,
    end,
    /** This session's client is served by this process itself. */
    hold: (session: string) => void held.add(session),
    listensAt(address: string, holds: (session: string) => boolean): void {
      url = address;
      heldOnHttp = holds;
    },
    place(): 'home' | 'lost' | 'homeless' {
      // The socket of a home with a long path is elsewhere, and stays when the home goes.
      const socket = existsSync(home) ? server.socket() : 'replaced';
      if (socket === 'ours') return 'home';
      return socket === 'gone' ? 'lost' : 'homeless';
    },
    /** Answers what is in flight, then gives the home up. */
    async close(): Promise<void> {
      end('stopped');
      stopFollowing();
      await server.close(async () => {
        await Promise.allSettled([...serving, stopHousekeeping()]);
        await program.pipeline.drain();
        await Promise.allSettled(program.capabilities.map((capability) => capability.stop?.()));
        try {
          await program.close();
        } finally {
          lock.release();
        }
      });
    },
  };
}

const COMMAND: Readonly<Record<OwnerKind, string>> = {
  auto: 'The daemon',
  serve: 'switchboard serve',
  embedded: 'switchboard mcp --embedded',
};

/** Only a daemon that came up by itself gives a home up because another process wants it. */
export function keptBy(kind: OwnerKind, pid: number, home: string): AppError {
  return new AppError('CONFLICT', `${COMMAND[kind]} (process ${pid}) owns ${home}.`, {
    hint: 'End that process first.',
  });
}

/** A daemon that was told to end is not started again before somebody needs it. */
function goodbye(kind: OwnerKind, why: Ending): string {
  if (why === 'handover') return controlLine('wait', HANDOVER_MS);
  return kind === 'auto' && why === 'stopped' ? controlLine('rest') : controlLine('wait', 0);
}

/** Another process is about to own the home only where it has asked for that. */
function handoverMs({ reason }: AbortSignal): number {
  return reason === 'handover' ? HANDOVER_MS : 0;
}

async function serveClient(
  { door, offer, serveStreams, local, store }: Doors,
  socket: Socket,
  hello: Hello,
  stop: AbortSignal,
  held: Set<string>,
) {
  const { only = [], read_only: readOnly = false, session, heard } = hello;
  // Held before it is looked for, so that it is not closed in between.
  if (session !== undefined) held.add(session);
  const restored = await restoredSession(store, session);
  return serveStreams(door, {
    registry: offer({ only, readOnly }),
    principal: local(),
    origin: originOf(hello),
    only,
    input: socket,
    output: socket,
    stop,
    outlivesProcess: true,
    ...(restored ? { restored } : {}),
    ...(heard === undefined ? {} : { lastNotified: heard }),
    notifiedLine: (event) => controlLine('heard', event),
    onSession: ({ id }) => {
      held.add(id);
      socket.write(controlLine('session', id));
    },
  });
}

/** The session that an earlier owner held for a client. */
export async function restoredSession({ sessions }: Doors['store'], id: string | undefined) {
  const stored = id === undefined ? undefined : await sessions.find(id as SessionId);
  return stored && revived(stored);
}

/** A session goes on, even one that was given up because its client was away too long. */
function revived(session: Session): Session | undefined {
  if (session.transport !== 'stdio') return undefined;
  if (isOpen(session)) return session;
  const { closedBecause, ...rest } = session;
  return closedBecause === 'connection lost' ? { ...rest, state: 'ready' } : undefined;
}
