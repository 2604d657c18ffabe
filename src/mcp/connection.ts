import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import { toAppError } from '../domain/errors.ts';
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { RequestObserver } from '../domain/protocol-request.ts';
import type { Quota } from '../domain/quota.ts';
import type { RunningState } from '../domain/running-state.ts';
import type { CloseReason, Session, SessionRepository } from '../domain/session.ts';
import type { Clock } from '../lib/clock.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import type { Log } from '../lib/log.ts';
import type { Settle } from '../operation.ts';
import { createDispatcher } from './dispatcher.ts';
import { type Gates, type Limits, requestLimitMs } from './limits.ts';
import { createListenRequests } from './listen-requests.ts';
import type { Registry } from './registry.ts';
import type { ServerParts } from './server.ts';
import { createSessionKeeper, type SessionOptions } from './session-keeper.ts';
import { createSessionSubscriptions } from './session-subscriptions.ts';
import { createWire } from './wire.ts';

export interface DoorParts extends Omit<ServerParts, 'registry'> {
  sessions: SessionRepository;
  clock: Clock;
  log: Log;
  limits: Limits;
  gates: Gates;
  /** Counts clients without a session. */
  running?: Pick<RunningState, 'connected' | 'requested'>;
  /** How many URIs all clients are subscribed to. */
  subscribed: Quota;
  setLogLevel?(level: string): void;
  /** Gives the observer of requests that do not become a call, if there is one now. */
  requestObserver?(): RequestObserver | undefined;
}

/** The principal of a client, and what it is offered. */
export interface ClientAccess {
  registry: Registry;
  principal: Principal;
  /** Its process, if it is on this machine. */
  origin?: Origin;
  /** The capabilities this endpoint serves; empty means all. */
  only: readonly string[];
}

interface ConnectionOptions extends ClientAccess, SessionOptions {
  transport: Session['transport'];
  /** `settle`, if passed, receives whether the message was sent. */
  write(message: JSONRPCMessage, options?: TransportSendOptions, settle?: Settle): Promise<void>;
  /** Resolves when a client reads and its buffer has space; without it, `write` waits for that. */
  ready?(): Promise<void>;
  /** The client of a session has been notified of everything it subscribed to up to this event. */
  onNotified?(event: number): void;
  /** The client requested the end of its session and has been answered. */
  onShutdown(): void;
  /** The client cancelled this request: it gets no answer. */
  onCancelled?(id: RequestId): void;
  /** The client has a session now. */
  onSession?(session: Session): void;
}

/**
 * One client on a persistent connection, of any protocol version. The transport handles bytes; everything else is
 * here.
 */
export function openConnection(parts: DoorParts, options: ConnectionOptions) {
  const { registry, principal, origin } = options;
  const log = parts.log.child({ component: 'mcp', transport: options.transport });
  const send = (message: JSONRPCMessage, related?: TransportSendOptions) => wire.transport.send(message, related);
  const session = createSessionKeeper(
    { repository: parts.sessions, clock: parts.clock, log },
    { principal: principal.name, identity: principal.identity, transport: options.transport, only: options.only },
    options,
  );
  const sessionId = () => session.current()?.id;
  const disconnected = parts.running?.connected(() => sessionId() !== undefined);
  const subscriber = {
    registry,
    principal,
    session: sessionId,
    log,
    subscribed: parts.subscribed,
    ...(options.ready ? { ready: options.ready } : {}),
  };
  const subscriptions = createSessionSubscriptions({
    ...subscriber,
    keeper: session,
    send,
    onNotified: options.onNotified,
  });
  const listenRequests = createListenRequests({ ...subscriber, send });

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
    gate: parts.gates.createGate(principal),
    requestLimitMs: requestLimitMs(parts.limits),
    log,
    requestObserver: parts.requestObserver,
    listen: listenRequests.check,
    beginListen: listenRequests.begin,
    endListen: listenRequests.end,
    onBegun: () => dispatcher.onSessionBegun(),
    onShutdown: options.onShutdown,
    ...(options.onCancelled ? { onCancelled: options.onCancelled } : {}),
    ...(parts.setLogLevel ? { setLogLevel: parts.setLogLevel } : {}),
  });

  const dispatcher = createDispatcher({
    server: { ...parts, registry },
    caller: {
      principal,
      session: sessionId,
      ...(origin ? { origin } : {}),
      onDelivery: wire.onDelivery,
      becameCall: wire.becameCall,
      clientCapabilities: () => session.current()?.clientCapabilities,
      waitsForUser: wire.waitsForUser,
    },
    subscriber: subscriptions,
    send,
    log,
    session: session.current,
    isRestored: options.restored !== undefined,
    onFailure(err) {
      log.error({ err }, 'the MCP SDK could not be loaded');
      wire.endAll(toAppError(err));
    },
  });
  wire.transport.onmessage = dispatcher.deliver;
  const stopListChanges = registry.onListChanged(dispatcher.notifyListChanged, { principal, origin });
  // Only after the transport has finished opening.
  if (options.restored) setImmediate(() => subscriptions.resumeAll(options.lastNotified));

  async function end(): Promise<void> {
    dispatcher.endQuestions();
    await wire.drain();
    disconnected?.();
    stopListChanges();
    subscriptions.close();
    listenRequests.close();
    await dispatcher.close();
  }

  return {
    wire,
    session,
    repeatUpdates: subscriptions.repeatUpdates,
    /** Answers the running requests, then ends the connection and its session. */
    async close(reason: CloseReason): Promise<void> {
      session.beginClose(reason);
      await end();
      await session.close(reason);
    },
    /** The same, but the session continues in a later process. */
    async suspend(): Promise<void> {
      await end();
      await session.saved();
    },
  };
}

export type McpConnection = ReturnType<typeof openConnection>;
