import { AppError } from '../../domain/errors.ts';
import type { GatewaySession } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { UpstreamListener } from '../upstream/upstream.ts';
import type { ConnectionRequests, ServerRequest } from './connection-requests.ts';
import type { ServerConnection } from './server-connection.ts';

interface SessionConnectionsParts {
  /** Starts the server once more; `capabilities` are those of the client. */
  connect(
    listener: Pick<UpstreamListener, 'onLog' | 'onQuestion'>,
    signal: AbortSignal,
    capabilities: JsonObject | undefined,
  ): Promise<ServerConnection>;
  createRequests(): ConnectionRequests;
  idleMs(): number;
}

interface SessionConnection {
  requests: ConnectionRequests;
  connected: Promise<ServerConnection>;
  stop: AbortController;
  idle?: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

/** Of one server. The one that has been unused for longest ends for a new one. */
const MAX_CONNECTIONS = 100;

/** The own connections of client sessions to a server: made by the first call, ended with the session or when unused. */
export function createSessionConnections({ connect, createRequests, idleMs }: SessionConnectionsParts) {
  /** The longest unused first. */
  const connections = new Map<unknown, SessionConnection>();

  function open(key: unknown, { session, capabilities }: ServerRequest): SessionConnection {
    makeRoom();
    const requests = createRequests();
    const stop = new AbortController();
    const made: SessionConnection = {
      requests,
      stop,
      isClosed: false,
      connected: connect(
        { onLog: requests.onLog, onQuestion: questionsTo(session, requests) },
        stop.signal,
        session && capabilities,
      ),
    };
    connections.set(key, made);
    const end = () => void close(key, made);
    session?.ended.addEventListener('abort', end, { once: true });
    // One that could not be made, or was lost, is made again by the next call.
    made.connected.then((connection) => connection.ended).then(end, end);
    return made;
  }

  function makeRoom(): void {
    if (connections.size < MAX_CONNECTIONS) return;
    for (const [key, unused] of connections) if (unused.requests.count() === 0) return void close(key, unused);
    throw new AppError('BUSY', `${MAX_CONNECTIONS} sessions use this server, which is the limit.`, {
      hint: 'Close a session, or try again later.',
    });
  }

  async function close(key: unknown, connection: SessionConnection): Promise<void> {
    if (connection.isClosed) return;
    connection.isClosed = true;
    if (connections.get(key) === connection) connections.delete(key);
    clearTimeout(connection.idle);
    connection.requests.reset();
    connection.stop.abort();
    await connection.connected.then(
      (made) => made.close(),
      () => {},
    );
  }

  return {
    has: (key: unknown) => connections.has(key),
    count: () => connections.size,
    async send(method: string, params: JsonObject, request: ServerRequest): Promise<JsonObject> {
      const key = request.sessionKey;
      const used = connections.get(key) ?? open(key, request);
      connections.delete(key);
      connections.set(key, used);
      clearTimeout(used.idle);
      try {
        return await used.requests.send(await used.connected, method, params, request);
      } finally {
        if (used.requests.count() === 0 && !used.isClosed) {
          clearTimeout(used.idle);
          used.idle = setTimeout(() => void close(key, used), idleMs()).unref();
        }
      }
    },
    async rootsChanged(session: GatewaySession): Promise<void> {
      const { upstream } = (await connections.get(session)?.connected) ?? {};
      await upstream?.rootsChanged();
    },
    async closeAll(): Promise<void> {
      await Promise.all([...connections].map(([key, connection]) => close(key, connection)));
    },
  };
}

/** A server with one client may ask it at any time. */
function questionsTo(
  session: GatewaySession | undefined,
  requests: ConnectionRequests,
): UpstreamListener['onQuestion'] {
  return (method, params, signal) =>
    session && requests.count() === 0
      ? session.ask(method, params, signal)
      : requests.onQuestion(method, params, signal);
}
