import { AppError } from '../../domain/errors.ts';
import type { GatewayRequest, GatewaySession } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';

type Asking = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** A request that runs on a connection, and how its client is asked. */
export interface RunningRequest {
  /** Where it is missing, the request is the only one of its client. */
  session: GatewaySession | undefined;
  /** The session, or who is behind requests without one. */
  sessionKey: unknown;
  ask: Asking;
  onLog: GatewayRequest['onLog'];
}

/** A server may work so long on a request that was given up, and ask and log meanwhile. */
const LINGER_MS = 60_000;

/**
 * The requests that run on one connection. A server on stdio does not say which of them its own question or log message
 * belongs to: it is the newest one where all are of one client, otherwise it is of none, since it may be of another client.
 */
export function createRunningRequests() {
  const running = new Set<RunningRequest>();
  /** Given up, but the server may not know. */
  const lingering = new Map<RunningRequest, NodeJS.Timeout>();
  /** The clients that have called the server and are still there. */
  const callers = new Set<GatewaySession>();

  function onlyClient(): RunningRequest | undefined {
    const newest = [...running].at(-1);
    if (!newest) return undefined;
    const { session, sessionKey } = newest;
    const isOfClient = (other: RunningRequest) =>
      other === newest || (session !== undefined && other.session === session);
    const isOfOne =
      [...running].every(isOfClient) && [...lingering.keys()].every((other) => other.sessionKey === sessionKey);
    return isOfOne ? newest : undefined;
  }

  function noteCaller(session: GatewaySession): void {
    if (callers.has(session) || session.ended.aborted) return;
    callers.add(session);
    session.ended.addEventListener('abort', () => callers.delete(session), { once: true });
  }

  return {
    count: () => running.size,
    hasCalled: (session: GatewaySession) => callers.has(session),
    /** Returns what ends it: with `true` where the server has not answered and may still work on it. */
    add(request: RunningRequest): (isGivenUp?: boolean) => void {
      running.add(request);
      if (request.session) noteCaller(request.session);
      return (isGivenUp = false) => {
        running.delete(request);
        if (!isGivenUp) return;
        lingering.set(request, setTimeout(() => lingering.delete(request), LINGER_MS).unref());
      };
    },
    async ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
      const request = onlyClient();
      if (request) return request.ask(method, params, signal);
      const [caller, ...others] = callers;
      const isIdle = running.size + lingering.size === 0;
      // Roots are asked for when they have changed, and when a server starts.
      if (isIdle && method === 'roots/list') {
        return caller && others.length === 0 ? caller.ask(method, params, signal) : { roots: [] };
      }
      throw new AppError(
        'CONFLICT',
        running.size === 0
          ? 'No client is calling this server, so that none can be asked.'
          : 'Several clients are calling this server, so that it is unknown which is meant. Set its connection to per_session.',
      );
    },
    /** False where it is of no client. */
    log(params: JsonObject): boolean {
      const request = onlyClient();
      request?.onLog?.(params);
      return request !== undefined;
    },
    /** Its connection has ended, and with it all that the server worked on. */
    reset(): void {
      for (const timer of lingering.values()) clearTimeout(timer);
      lingering.clear();
    },
  };
}
