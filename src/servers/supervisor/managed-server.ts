import type { GatewaySession } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import type { ServerManifest, ServerPins } from '../../domain/server-manifest.ts';
import type { ServerEvent, ServerProblem, ServerState } from '../../domain/server-state.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ServerRow, ServerStore } from '../ports.ts';
import type { ServerOutput } from '../process/server-process.ts';
import { type Difference, type Reviewed, review } from '../review/review.ts';
import type { UpstreamListener } from '../upstream/upstream.ts';
import { createConnectionRequests, type ServerRequest } from './connection-requests.ts';
import { subscribeFailure } from './failures.ts';
import { readManifest } from './manifest.ts';
import { createRunner, problemError, startError } from './runner.ts';
import type { ConnectServer, ServerConnection } from './server-connection.ts';
import { createSessionConnections } from './session-connections.ts';
import { createSubscribedResources } from './subscribed-resources.ts';

export interface ManagedServerParts {
  connect: ConnectServer;
  store: ServerStore;
  clock: Clock;
  log: Log;
  output: ServerOutput;
  limits(): {
    callTimeoutMs: number;
    maxResultBytes: number;
    pingIntervalMs: number;
    pingTimeoutMs: number;
    sessionIdleMs: number;
  };
  /** What it offers, or whether that is offered, has changed. */
  onOffer(): void;
  onState(events: readonly ServerEvent[]): void;
  onResourceUpdated(uri: string): void;
}

/** One server: its process or connection, what it offers, and the requests that run on it. */
export function createManagedServer(row: ServerRow, parts: ManagedServerParts) {
  const { store, clock, log, output, limits } = parts;
  let config = row.config;
  let manifest = row.manifest;
  let reviewed = manifest && review(manifest, row.pins, config.trusted);
  let idle: NodeJS.Timeout | undefined;
  let health: NodeJS.Timeout | undefined;
  let isRefreshing = false;
  let isStale = false;
  const createRequests = () => createConnectionRequests({ config: () => config, limits, output });
  const requests = createRequests();
  const subscribed = createSubscribedResources(() => runner.connection()?.upstream);

  const listener: UpstreamListener = {
    onListChanged: () => void refresh(),
    onResourceUpdated(uri) {
      // A server could name any address, also ours, and as many as it likes.
      if (subscribed.has(uri)) parts.onResourceUpdated(uri);
    },
    onLog: requests.onLog,
    onQuestion: requests.onQuestion,
    onNoise: (text) => output.write('stdout', Buffer.from(`${text}\n`)),
  };

  const sessions = createSessionConnections({
    createRequests,
    idleMs: () => limits().sessionIdleMs,
    connect: (own, signal, capabilities) => parts.connect(config, { ...listener, ...own }, signal, capabilities),
  });

  const runner = createRunner(
    {
      config: () => config,
      clock,
      async connect(signal) {
        const connection = await parts.connect(config, listener, signal);
        requests.reset();
        try {
          await learn(connection, signal);
          await subscribed.renew(connection.upstream);
        } catch (error) {
          await connection.close();
          throw error;
        }
        return connection;
      },
      onChange(events, state) {
        watch(state);
        parts.onState(events);
        parts.onOffer();
      },
    },
    { stoppedByHand: row.stoppedByHand },
  );

  async function learn({ upstream }: ServerConnection, signal: AbortSignal): Promise<void> {
    const now = await readManifest(upstream, signal);
    await keep(now, reviewed?.pins ?? row.pins);
  }

  async function keep(now: ServerManifest, pins: ServerPins | undefined): Promise<void> {
    const next = review(now, pins, config.trusted);
    if (next.dropped > 0)
      output.note(`${next.dropped} tools or prompts are not offered: they are no definitions, too large, or too many.`);
    const isNew = JSON.stringify([manifest, reviewed?.pins]) !== JSON.stringify([now, next.pins]);
    manifest = now;
    reviewed = next;
    if (isNew) await store.saveManifest(config.id, now, next.pins);
  }

  /** The server says that a list has changed. What it says while the lists are read is one change. */
  async function refresh(): Promise<void> {
    isStale = true;
    if (isRefreshing) return;
    isRefreshing = true;
    try {
      for (let connection = runner.connection(); connection && isStale; connection = runner.connection()) {
        isStale = false;
        await learn(connection, AbortSignal.timeout(limits().callTimeoutMs));
        parts.onOffer();
      }
    } catch (err) {
      log.warn({ err, server: config.id }, 'the lists of a server could not be read');
    } finally {
      isRefreshing = false;
    }
  }

  /** Timers of a running server: it is asked whether it is there, and stopped when it is not used. */
  function watch({ state }: ServerState): void {
    clearTimeout(idle);
    clearInterval(health);
    if (state !== 'running') return;
    restartIdleTimer();
    const { pingIntervalMs } = limits();
    health = setInterval(() => void checkHealth(), pingIntervalMs).unref();
  }

  function restartIdleTimer(): void {
    clearTimeout(idle);
    // A call may end because the server was stopped.
    if (config.idle_stop_ms === undefined || runner.state().state !== 'running') return;
    idle = setTimeout(() => (isUnused() ? void runner.stop(false) : restartIdleTimer()), config.idle_stop_ms).unref();
  }

  function isUnused(): boolean {
    return requests.count() === 0 && sessions.count() === 0;
  }

  async function checkHealth(): Promise<void> {
    const connection = runner.connection();
    // A server that works on a call may not answer meanwhile.
    if (!connection || requests.count() > 0) return;
    try {
      await connection.upstream.ping(AbortSignal.timeout(limits().pingTimeoutMs));
    } catch (err) {
      log.warn({ err, server: config.id }, 'a server does not answer a ping');
      if (requests.count() === 0) runner.lost(connection, NO_ANSWER(config));
    }
  }

  /** Sends a request of a client on; starts the server where it sleeps. */
  async function request(method: string, params: JsonObject, options: ServerRequest): Promise<JsonObject> {
    const isOwn = config.connection === 'per_session';
    if (isOwn && sessions.has(options.sessionKey)) return sendOwn(method, params, options);
    const connection = runner.connection() ?? (await ready(options.signal));
    if (isOwn) return sendOwn(method, params, options);
    clearTimeout(idle);
    try {
      return await requests.send(connection, method, params, options);
    } finally {
      if (isUnused()) restartIdleTimer();
    }
  }

  async function sendOwn(method: string, params: JsonObject, options: ServerRequest): Promise<JsonObject> {
    try {
      return await sessions.send(method, params, options);
    } catch (thrown) {
      throw startError(thrown);
    }
  }

  /** Nothing of it is left running. */
  async function end(how: () => Promise<void>): Promise<void> {
    await Promise.all([how(), sessions.closeAll()]);
  }

  async function ready(signal: AbortSignal): Promise<ServerConnection> {
    const connection = runner.connection();
    if (connection) return connection;
    const state = runner.state();
    if (state.state === 'error') throw problemError(withRetry(state));
    if (state.state === 'stopped' && state.byHand) throw problemError(STOPPED(config));
    signal.throwIfAborted();
    return runner.start();
  }

  return {
    id: config.id,
    createdAt: row.createdAt,
    config: () => config,
    state: runner.state,
    pid: () => runner.connection()?.pid,
    manifest: () => manifest,
    /** What may be offered of it; undefined before it was first connected. */
    reviewed: (): Reviewed | undefined => reviewed,
    output,
    request,
    async subscribe(uri: string): Promise<() => void> {
      try {
        return await subscribed.add(uri);
      } catch (thrown) {
        throw subscribeFailure(config, thrown);
      }
    },
    /** The roots of a client are others now: a server that it has called may ask for them again. */
    rootsChanged(session: GatewaySession): void {
      sessions.rootsChanged(session).catch(() => {});
      if (requests.hasCalled(session))
        runner
          .connection()
          ?.upstream.rootsChanged()
          .catch(() => {});
    },
    /** Starts it where it sleeps. */
    wake: async (signal: AbortSignal): Promise<void> => void (await ready(signal)),
    start: runner.start,
    stop: (byHand: boolean) => end(() => runner.stop(byHand)),
    /** As `stop`, for one that is removed, or whose process ends: no call starts it again. */
    close: (byHand: boolean) => end(() => runner.close(byHand)),
    enable: runner.enable,
    disable: () => end(runner.disable),
    reset: runner.reset,
    /** A changed configuration; a server that runs is started again with it. */
    async reconfigure(next: ServerConfig): Promise<void> {
      config = next;
      if (manifest) reviewed = review(manifest, reviewed?.pins, config.trusted);
      parts.onOffer();
      await sessions.closeAll();
      const { state } = runner.state();
      if (state === 'running' || state === 'starting') await runner.restart();
      else runner.reset();
    },
    async accept(pins: ServerPins): Promise<readonly Difference[]> {
      if (!manifest) return [];
      await keep(manifest, pins);
      parts.onOffer();
      return reviewed?.differences ?? [];
    },
  };
}

export type ManagedServer = ReturnType<typeof createManagedServer>;

const NO_ANSWER = ({ name }: ServerConfig): ServerProblem => ({
  code: 'NETWORK_ERROR',
  message: `Server '${name}' does not answer any more.`,
});

const STOPPED = ({ name, id }: ServerConfig): ServerProblem => ({
  code: 'CONFLICT',
  message: `Server '${name}' is stopped.`,
  hint: `Start it: switchboard servers start ${id}`,
});

function withRetry({ problem, retryAt }: Extract<ServerState, { state: 'error' }>): ServerProblem {
  if (retryAt === undefined || problem.hint !== undefined) return problem;
  return { ...problem, hint: `It is started again at ${new Date(retryAt).toISOString()}.` };
}
