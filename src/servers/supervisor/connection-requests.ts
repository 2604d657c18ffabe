import type { GatewayRequest } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import type { ServerOutput } from '../process/server-process.ts';
import { type Upstream, UpstreamFailure } from '../upstream/upstream.ts';
import { requestFailure } from './failures.ts';
import { isLower, LOWEST_DEFAULT } from './log-level.ts';
import { createRunningRequests, type RunningRequest } from './running-requests.ts';
import type { ServerConnection } from './server-connection.ts';

/** A request of a client, for one server. */
export interface ServerRequest
  extends Pick<GatewayRequest, 'signal' | 'session' | 'capabilities' | 'onProgress' | 'onLog' | 'logLevel'> {
  /** Who uses the same connection, where the server has one for each session. */
  sessionKey: unknown;
  ask: RunningRequest['ask'];
}

interface ConnectionRequestsParts {
  config(): ServerConfig;
  limits(): { callTimeoutMs: number; maxResultBytes: number };
  output: ServerOutput;
}

/** How long a failed request waits for the reason why its connection ended. */
const REASON_MS = 80;
const MAX_LOGGED = 500;

/** Sends requests of clients over a connection; what its server asks and logs goes to those clients. */
export function createConnectionRequests({ config, limits, output }: ConnectionRequestsParts) {
  const running = createRunningRequests();
  let level: { upstream: Upstream; lowest: string } | undefined;

  /**
   * A session has one level for all clients: the lowest that one asked for. Each client gets what it asked for; those that
   * did not ask get what the server sends by itself, or at least `info`.
   */
  async function setLogLevel(upstream: Upstream, { logLevel }: ServerRequest): Promise<void> {
    if (logLevel === undefined || upstream.era === 'stateless') return;
    const known = level?.upstream === upstream ? level.lowest : undefined;
    const wanted = isLower(logLevel, LOWEST_DEFAULT) ? logLevel : LOWEST_DEFAULT;
    if (known !== undefined && !isLower(wanted, known)) return;
    level = { upstream, lowest: wanted };
    // A server that refuses it logs as it likes.
    await upstream.setLogLevel(wanted).catch(() => {});
  }

  async function send(
    connection: ServerConnection,
    method: string,
    params: JsonObject,
    request: ServerRequest,
  ): Promise<JsonObject> {
    const { upstream } = connection;
    const { signal, session, sessionKey, ask, onLog, onProgress, capabilities } = request;
    const { callTimeoutMs, maxResultBytes } = limits();
    const timeoutMs = config().call_timeout_ms ?? callTimeoutMs;
    const done = running.add({ session, sessionKey, ask, onLog });
    try {
      if (request.logLevel !== undefined) await setLogLevel(upstream, request);
      const logLevel = onLog && (request.logLevel ?? LOWEST_DEFAULT);
      const result = await upstream.request(method, params, {
        signal,
        timeoutMs,
        onProgress,
        onLog,
        logLevel,
        capabilities,
        onQuestion: ask,
      });
      done();
      return result;
    } catch (thrown) {
      const kind = thrown instanceof UpstreamFailure ? thrown.kind : undefined;
      done(kind === 'cancelled' || kind === 'timeout');
      const ended = kind === 'closed' ? await Promise.race([connection.ended, after(REASON_MS)]) : undefined;
      const limit = config().max_result_bytes ?? maxResultBytes;
      throw requestFailure(config(), thrown, { ended, timeoutMs, limit });
    }
  }

  return {
    send,
    count: running.count,
    hasCalled: running.hasCalled,
    reset: running.reset,
    onQuestion: running.ask,
    onLog(params: JsonObject): void {
      if (running.log(params)) return;
      const { level: severity, data } = params;
      const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
      const word = typeof severity === 'string' ? severity.slice(0, 20) : 'log';
      output.write('stderr', Buffer.from(`[${word}] ${text.slice(0, MAX_LOGGED)}\n`));
    },
  };
}

export type ConnectionRequests = ReturnType<typeof createConnectionRequests>;

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined).unref());
}
