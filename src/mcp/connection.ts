import type { JSONRPCMessage, McpServer, TransportSendOptions } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { RequestObserver } from '../domain/protocol-request.ts';
import type { CloseReason, Session, SessionRepository } from '../domain/session.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Settle } from '../operation.ts';
import type { Era } from './errors.ts';
import type { RequestId } from './id-scanner.ts';
import { type Gates, type Limits, requestLimitMs } from './limits.ts';
import type { Registry } from './registry.ts';
import { createProtocolServer, type ServerParts } from './server.ts';
import { createSessionKeeper, type SessionOptions } from './session-keeper.ts';
import { checkCount, createSubscriptions, updateMeta } from './subscriptions.ts';
import { createWire } from './wire.ts';

export interface DoorParts extends Omit<ServerParts, 'registry'> {
  sessions: SessionRepository;
  clock: Clock;
  log: Log;
  limits: Limits;
  gates: Gates;
  setLogLevel?(level: string): void;
  /** Whoever wants to know of requests that become no call. */
  requestObserver?(): RequestObserver | undefined;
}

/** Who comes, and what is offered there. */
export interface Visitor {
  registry: Registry;
  principal: Principal;
  /** Its process, on this machine. */
  origin?: Origin;
  /** The capabilities this endpoint serves; empty means all. */
  only: readonly string[];
}

interface ConnectionOptions extends Visitor, SessionOptions {
  transport: Session['transport'];
  /** `settle` says whether the message has left, where somebody wants to know. */
  write(message: JSONRPCMessage, options?: TransportSendOptions, settle?: Settle): Promise<void>;
  /** The client asked for the end of its session and has been answered. */
  onShutdown(): void;
  /** The client gave this request up: it will get no answer. */
  onCancelled?(id: RequestId): void;
  /** The client has a session now. */
  onSession?(session: Session): void;
}

/** One client on a connection that lasts, in either era: bytes are the transport's business, everything else is here. */
export function openConnection(parts: DoorParts, options: ConnectionOptions) {
  const { registry, principal, origin } = options;
  const log = parts.log.child({ component: 'mcp', transport: options.transport });
  const session = createSessionKeeper(
    { repository: parts.sessions, clock: parts.clock, log },
    { principal: principal.name, transport: options.transport, only: options.only },
    options,
  );
  const listens = new Map<RequestId, readonly string[]>();
  let server: { era: Era; mcp: McpServer } | undefined;

  const subscriptions = createSubscriptions(registry, (pattern, update) => {
    if (!server) return;
    // Before 2026-07-28 the notification names the resource itself; since then what the client subscribed to.
    const uri = server.era === 'legacy' ? update.uri : pattern;
    server.mcp.server.sendResourceUpdated({ uri, _meta: updateMeta(update) }).catch(() => {});
  });

  const wire = createWire({
    write: options.write,
    session: {
      ...session,
      initialize(params) {
        const made = session.initialize(params);
        options.onSession?.(made);
        return made;
      },
    },
    gate: parts.gates.createGate(),
    requestLimitMs: requestLimitMs(parts.limits),
    log,
    requestObserver: parts.requestObserver,
    async listen(id, uris) {
      checkCount(subscriptions.count() + uris.length);
      await Promise.all(uris.map((uri) => registry.checkSubscription(uri, { principal, era: 'modern' })));
      listens.set(id, uris);
      for (const uri of uris) subscriptions.add(uri);
    },
    endListen(id) {
      for (const uri of listens.get(id) ?? []) subscriptions.remove(uri);
      listens.delete(id);
    },
    onBegun: () => setImmediate(passEraSwitch),
    onShutdown: options.onShutdown,
    ...(options.onCancelled ? { onCancelled: options.onCancelled } : {}),
    ...(parts.setLogLevel ? { setLogLevel: parts.setLogLevel } : {}),
  });

  const subscriber = {
    subscribe(uri: string) {
      if (subscriptions.has(uri)) return;
      checkCount(subscriptions.count() + 1);
      subscriptions.add(uri);
      session.subscribe(uri);
    },
    unsubscribe(uri: string) {
      subscriptions.remove(uri);
      session.unsubscribe(uri);
    },
  };

  const serving = serveStdio(
    ({ era }) => {
      const mcp = createProtocolServer(
        { ...parts, registry },
        { principal, era, ...(origin ? { origin } : {}), onDelivery: wire.onDelivery, reached: wire.reached },
        era === 'legacy' ? subscriber : undefined,
      );
      server = { era, mcp };
      return mcp;
    },
    { transport: wire.transport, onerror: (err) => log.debug({ err }, 'the protocol library reports') },
  );

  const stopListChanges = registry.onListChanged((list) => {
    const target = server?.mcp.server;
    if (list === 'tools') target?.sendToolListChanged().catch(() => {});
    if (list === 'resources') target?.sendResourceListChanged().catch(() => {});
    if (list === 'prompts') target?.sendPromptListChanged().catch(() => {});
  });

  if (options.restored) {
    restore(options.restored);
    setImmediate(() => {
      passEraSwitch();
      repeatUpdates();
    });
  }

  /** Tells a new server what the client said to the old one; the answers go nowhere. */
  function restore({ protocolVersion, client, clientCapabilities, logLevel, subscriptions: uris }: Session): void {
    const say = (method: string, params: Record<string, unknown>) =>
      wire.transport.onmessage?.({ jsonrpc: '2.0', id: `restored ${method}`, method, params });
    say('initialize', { protocolVersion, clientInfo: client, capabilities: clientCapabilities });
    wire.transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/initialized' });
    if (logLevel !== undefined) say('logging/setLevel', { level: logLevel });
    for (const uri of uris) subscriptions.add(uri);
  }

  /** Something may have been missed: whoever subscribed is to look for itself. */
  function repeatUpdates(): void {
    for (const uri of session.current()?.subscriptions ?? []) {
      server?.mcp.server.sendResourceUpdated({ uri }).catch(() => {});
    }
  }

  /**
   * A session keeps its era, so its messages need not pass what decides it in the SDK, where each is checked against
   * schemas once more on its way in and out. Called when what came before has passed.
   */
  function passEraSwitch(): void {
    const inner = server?.mcp.server.transport;
    if (server?.era !== 'legacy' || !inner) return;
    wire.transport.onmessage = (message) => inner.onmessage?.(message);
    inner.send = wire.transport.send;
  }

  async function end(): Promise<void> {
    await wire.drain();
    stopListChanges();
    subscriptions.close();
    await serving.close();
  }

  return {
    wire,
    session,
    repeatUpdates,
    /** Answers what is in flight, then ends the connection and its session. */
    async close(reason: CloseReason): Promise<void> {
      session.beginClose(reason);
      await end();
      await session.close(reason);
    },
    /** The same, but the session goes on in a later process. */
    async suspend(): Promise<void> {
      await end();
      await session.saved();
    },
  };
}

export type Connection = ReturnType<typeof openConnection>;
