import type { GatewayRequest } from '../../domain/gateway.ts';
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
import { requestFailure } from './failures.ts';
import { readManifest } from './manifest.ts';
import { createRunner, problemError } from './runner.ts';
import { createRunningRequests, type RunningRequest } from './running-requests.ts';
import type { ConnectServer, ServerConnection } from './server-connection.ts';
import { createSubscribedResources } from './subscribed-resources.ts';

export interface ManagedServerParts {
  connect: ConnectServer;
  store: ServerStore;
  clock: Clock;
  log: Log;
  output: ServerOutput;
  limits(): { callTimeoutMs: number; maxResultBytes: number; pingIntervalMs: number; pingTimeoutMs: number };
  /** What it offers, or whether that is offered, has changed. */
  onOffer(): void;
  onState(events: readonly ServerEvent[]): void;
  onResourceUpdated(uri: string): void;
}

/** How long a failed request waits for the reason why its connection ended. */
const REASON_MS = 80;

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
  const running = createRunningRequests();
  const subscribed = createSubscribedResources(() => runner.connection()?.upstream);

  const listener: UpstreamListener = {
    onListChanged: () => void refresh(),
    onResourceUpdated: parts.onResourceUpdated,
    onLog: (params) => running.log(params),
    onQuestion: (method, params, signal) => running.ask(method, params, signal),
    onNoise: (text) => output.write('stdout', Buffer.from(`${text}\n`)),
  };

  const runner = createRunner(
    {
      config: () => config,
      clock,
      async connect(signal) {
        const connection = await parts.connect(config, listener, signal);
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
      output.note(`${next.dropped} tools or prompts are not offered: they are no definitions, or too large.`);
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
    if (config.idle_stop_ms === undefined) return;
    idle = setTimeout(() => running.count() === 0 && void runner.stop(false), config.idle_stop_ms).unref();
  }

  async function checkHealth(): Promise<void> {
    const connection = runner.connection();
    // A server that works on a call may not answer meanwhile.
    if (!connection || running.count() > 0) return;
    try {
      await connection.upstream.ping(AbortSignal.timeout(limits().pingTimeoutMs));
    } catch (err) {
      log.warn({ err, server: config.id }, 'a server does not answer a ping');
      if (running.count() === 0) runner.lost(connection, NO_ANSWER(config));
    }
  }

  /** Sends a request of a client on; starts the server where it sleeps. */
  async function request(
    method: string,
    params: JsonObject,
    {
      signal,
      onProgress,
      logLevel,
      ...client
    }: Omit<RunningRequest, 'onLog'> & Pick<GatewayRequest, 'signal' | 'onProgress' | 'onLog' | 'logLevel'>,
  ): Promise<JsonObject> {
    const connection = await ready(signal);
    const timeoutMs = config.call_timeout_ms ?? limits().callTimeoutMs;
    const done = running.add({ client: client.client, ask: client.ask, onLog: client.onLog });
    clearTimeout(idle);
    try {
      return await connection.upstream.request(method, params, {
        signal,
        timeoutMs,
        ...(onProgress ? { onProgress } : {}),
        ...(client.onLog ? { onLog: client.onLog } : {}),
        ...(logLevel === undefined ? {} : { logLevel }),
        onQuestion: client.ask,
      });
    } catch (thrown) {
      const ended = await Promise.race([connection.ended, after(REASON_MS)]);
      const limit = config.max_result_bytes ?? limits().maxResultBytes;
      throw requestFailure(config, thrown, { ended, timeoutMs, limit });
    } finally {
      done();
      if (running.count() === 0) restartIdleTimer();
    }
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
    /** Starts it where it sleeps. */
    wake: async (signal: AbortSignal): Promise<void> => void (await ready(signal)),
    subscribe: subscribed.add,
    start: runner.start,
    stop: runner.stop,
    enable: runner.enable,
    disable: runner.disable,
    reset: runner.reset,
    /** A changed configuration; a server that runs is started again with it. */
    async reconfigure(next: ServerConfig): Promise<void> {
      const before = runner.state().state;
      config = next;
      if (manifest) reviewed = review(manifest, reviewed?.pins, config.trusted);
      parts.onOffer();
      if (before === 'running' || before === 'starting') {
        await runner.stop(false);
        void runner.start().catch(() => {});
      } else runner.reset();
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

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined).unref());
}
