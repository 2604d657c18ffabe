import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Origin } from '../domain/origin.ts';
import type { Clock } from '../lib/clock.ts';
import { daemonAddress, outsideFolder } from '../lib/daemon-address.ts';
import { controlLine, fingerprints, type Hello, type OwnerKind } from '../lib/daemon-hello.ts';
import type { Lock } from '../lib/lock.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../lib/version.ts';
import type { OperationContext } from '../operation.ts';
import { answerCalls, type Calls } from './answer-calls.ts';
import { originOf } from './origin.ts';
import { listenOnSocket, type SocketHandlers } from './socket-server.ts';

/** How long clients wait for the next owner before they start one themselves. */
const HANDOVER_MS = 5_000;

/** Why an owner exits; it decides what clients are notified of. */
type Ending = 'idle' | 'stopped' | 'lost' | 'handover';

/** What the owner of a home serves. */
export interface OwnedProgram {
  capabilities: readonly Pick<Capability, 'start' | 'stop' | 'welcome' | 'keepsDaemonAlive'>[];
  helloTimeoutMs: number;
  /** Throws if a client requests something that is not offered. */
  checkOffer(options: { only: readonly string[]; readOnly: boolean }): void;
  /** Serves an MCP client until it disconnects; `shutdown` if it requested the end. */
  serveClient(
    socket: Socket,
    hello: Hello,
    how: { origin: Origin; stop: AbortSignal; onHeld(session: string): void },
  ): Promise<string>;
  call(
    name: string,
    input: unknown,
    how: { signal: AbortSignal; progress: OperationContext['progress']; origin: Origin },
  ): Promise<JsonObject>;
  follow(
    name: string,
    input: unknown,
    how: { signal: AbortSignal; emit: (output: JsonObject) => Promise<void>; origin: Origin },
  ): Promise<void>;
  /** Uses a changed configuration from now on. Returns how to stop. */
  followConfig(): () => void;
  /** Why a changed configuration is not in force. */
  configProblem(): string | undefined;
  /** Begins the daily work on the store. Returns how to stop. */
  startHousekeeping(isHeld: (session: string) => boolean): () => Promise<void>;
  /** Resolves when everything is done that follows from answers. */
  drain(): Promise<void>;
}

export interface OwnerOptions {
  home: string;
  kind: OwnerKind;
  lock: Lock;
  /** Aborted when this process is asked to end. */
  stop: AbortSignal;
  clock: Clock;
  log: Log;
  /** Closes what `open` has opened, also where that failed. */
  close(): Promise<void>;
}

export type Owner = Awaited<ReturnType<typeof open>>;

/** Owns the home: opens the program and listens for the user's other processes. A failure releases the home. */
export async function own(openProgram: () => Promise<OwnedProgram>, options: OwnerOptions): Promise<Owner> {
  try {
    return await open(await openProgram(), options);
  } catch (thrown) {
    await options.close();
    options.lock.release();
    throw thrown;
  }
}

async function open(program: OwnedProgram, { home, kind, lock, stop, clock, log, close }: OwnerOptions) {
  const startedAt = clock.now();
  const env = fingerprints(process.env);
  const ending = new AbortController();
  const over = Promise.withResolvers<void>();
  const clients = new Set<Socket>();
  const serving = new Set<Promise<unknown>>();
  /** Sessions whose clients are here, or were. */
  const held = new Set<string>();
  let url: string | undefined;
  let heldOnHttp = (_: string) => false;

  const handlers: SocketHandlers = {
    async mcp(socket, hello) {
      const origin = originOf(hello, socket);
      clients.add(socket);
      welcome(origin);
      try {
        const how = { origin, stop: ending.signal, onHeld: (session: string) => void held.add(session) };
        const served = await track(program.serveClient(socket, hello, how));
        if (served === 'shutdown') socket.write(controlLine('exit', 0));
      } finally {
        clients.delete(socket);
      }
    },
    cli(socket, hello) {
      const origin = originOf(hello, socket);
      welcome(origin);
      const calls: Calls = {
        call: (name, input, how) => program.call(name, input, { ...how, origin }),
        follow: (name, input, how) => program.follow(name, input, { ...how, origin }),
      };
      return track(answerCalls(socket, calls, { signal: ending.signal, handoverMs: () => handoverMs(ending.signal) }));
    },
    admit({ door, pid, only = [], read_only: readOnly = false }) {
      if (door === 'mcp') program.checkOffer({ only, readOnly });
      if (door !== 'stop' && door !== 'takeover') return;
      if (kind !== 'auto') throw ownedBy(kind, process.pid, home);
      log.info({ pid }, door === 'stop' ? 'asked to end' : 'handing over to another process');
      end(door === 'stop' ? 'stopped' : 'handover');
    },
  };
  const server = await listenOnSocket(handlers, {
    path: daemonAddress(home),
    folder: outsideFolder(home),
    describe() {
      const problem = program.configProblem();
      const uptime = clock.now() - startedAt;
      return {
        version: version(),
        kind,
        uptime_ms: uptime,
        ...(url && { url }),
        ...(problem && { config_problem: problem }),
      };
    },
    env,
    helloTimeoutMs: program.helloTimeoutMs,
    log,
  });
  const stopFollowing = program.followConfig();
  for (const capability of program.capabilities) await capability.start?.();
  const stopHousekeeping = program.startHousekeeping((session) => held.has(session) || heldOnHttp(session));

  function welcome(origin: Origin): void {
    for (const capability of program.capabilities) capability.welcome?.(origin);
  }

  async function isBusy(): Promise<boolean> {
    if (server.clients() > 0) return true;
    try {
      for (const capability of program.capabilities) if (await capability.keepsDaemonAlive?.()) return true;
      return false;
    } catch (err) {
      log.warn({ err }, 'could not determine whether the daemon is still needed');
      return true;
    }
  }

  /** The store remains open until all clients have been served. */
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
      // The socket of a home with a long path is elsewhere, and remains when the home is removed.
      const socket = existsSync(home) ? server.socket() : 'replaced';
      if (socket === 'ours') return 'home';
      return socket === 'gone' ? 'lost' : 'homeless';
    },
    /** Answers requests in flight, then releases the home. */
    async close(): Promise<void> {
      end('stopped');
      stopFollowing();
      await server.close(async () => {
        await Promise.allSettled([...serving, stopHousekeeping()]);
        await program.drain();
        await Promise.allSettled(program.capabilities.map((capability) => capability.stop?.()));
        try {
          await close();
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

/** Only an auto-started daemon releases a home because another process wants it. */
export function ownedBy(kind: OwnerKind, pid: number, home: string): AppError {
  return new AppError('CONFLICT', `${COMMAND[kind]} (process ${pid}) owns ${home}.`, {
    hint: 'End that process first.',
  });
}

/** A daemon that was stopped is not started again before a client needs it. */
function goodbye(kind: OwnerKind, why: Ending): string {
  if (why === 'handover') return controlLine('wait', HANDOVER_MS);
  return kind === 'auto' && why === 'stopped' ? controlLine('rest') : controlLine('wait', 0);
}

/** Another process is about to own the home only if it has requested that. */
function handoverMs({ reason }: AbortSignal): number {
  return reason === 'handover' ? HANDOVER_MS : 0;
}
