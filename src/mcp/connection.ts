import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import { toAppError } from '../domain/errors.ts';
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { RequestObserver } from '../domain/protocol-request.ts';
import type { CloseReason, Session, SessionRepository } from '../domain/session.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Settle } from '../operation.ts';
import type { RequestMessage } from './envelope.ts';
import { createHotPath } from './hot-path.ts';
import type { RequestId } from './id-scanner.ts';
import { createLateSdk } from './late-sdk.ts';
import { type Gates, type Limits, requestLimitMs } from './limits.ts';
import { resumeAfter } from './patterns.ts';
import type { Caller, Registry, Subscription } from './registry.ts';
import type { ServerParts } from './server.ts';
import { createSessionKeeper, type SessionOptions } from './session-keeper.ts';
import { checkCount, checkListened, createSubscriptions, type Subscriptions, updateMeta } from './subscriptions.ts';
import { claimedVersion, SUBSCRIPTION_ID_KEY } from './versions.ts';
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
  /** Resolves when somebody is there to read, and has room; where that is not said, whoever writes waits for it. */
  ready?(): Promise<void>;
  /** The client of a session has been told of everything it subscribed to up to this event. */
  onHeard?(number: number): void;
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
  const listens = new Map<RequestId, { checked: ReadonlyMap<string, Subscription>; subscriptions: Subscriptions }>();
  /** A session has begun: from here on its commonest requests are answered without the SDK. */
  let begun = options.restored !== undefined;
  const hearing = { registry, principal, log, ...(options.ready ? { ready: options.ready } : {}) };

  // Before 2026-07-28 the notification names the resource itself; since then what the client subscribed to.
  const subscriptions = createSubscriptions({
    ...hearing,
    deliver: async (_, update) => {
      await tellUpdated({ uri: update.uri, _meta: updateMeta(update) });
      noteHeard(update.number);
    },
    onCaughtUp: noteHeard,
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
      const open = [...listens.values()].reduce((sum, { checked }) => sum + checked.size, 0);
      checkCount(open + uris.length);
      const checked = await checkListened(registry, uris, { principal, era: 'modern' });
      listens.set(id, { checked, subscriptions: listeningAs(id) });
    },
    beginListen(id) {
      const listen = listens.get(id);
      for (const [uri, subscription] of listen?.checked ?? []) listen?.subscriptions.add(uri, subscription);
    },
    endListen(id) {
      listens.get(id)?.subscriptions.close();
      listens.delete(id);
    },
    onBegun: () => {
      begun = true;
    },
    onShutdown: options.onShutdown,
    ...(options.onCancelled ? { onCancelled: options.onCancelled } : {}),
    ...(parts.setLogLevel ? { setLogLevel: parts.setLogLevel } : {}),
  });

  /** While somebody is told of what happened earlier, nobody knows how far they are. */
  function noteHeard(number: number): void {
    if (!subscriptions.isReplaying()) options.onHeard?.(number);
  }

  /** Written past the SDK, which would tell every request that listens to the same of what only one has missed. */
  function listeningAs(id: RequestId): Subscriptions {
    return createSubscriptions({
      ...hearing,
      deliver: (uri, update) =>
        wire.transport.send({
          jsonrpc: '2.0',
          method: 'notifications/resources/updated',
          params: { uri, _meta: { ...updateMeta(update), [SUBSCRIPTION_ID_KEY]: id } },
        }),
    });
  }

  const subscriber = {
    /** Subscribing again tells what was missed once more; without that it changes nothing. */
    subscribe(subscription: Subscription, newest: number) {
      const { pattern, after } = subscription;
      const isNew = !subscriptions.has(pattern);
      if (!isNew && after === undefined) return;
      checkCount(subscriptions.count() + (isNew ? 1 : 0));
      // Whoever has heard of nothing yet has missed nothing yet.
      if (after === undefined) noteHeard(newest);
      subscriptions.add(pattern, subscription);
      session.subscribe(pattern);
    },
    unsubscribe(pattern: string) {
      subscriptions.remove(pattern);
      session.unsubscribe(pattern);
    },
  };

  const caller: Omit<Caller, 'era' | 'version'> = {
    principal,
    ...(origin ? { origin } : {}),
    onDelivery: wire.onDelivery,
    reached: wire.reached,
  };
  const hotPath = createHotPath({
    ...parts,
    registry,
    caller: { ...caller, era: 'legacy', version: () => session.current()?.protocolVersion },
    send: wire.transport.send,
  });
  const sdk = createLateSdk({
    server: { ...parts, registry },
    caller,
    subscriber,
    send: wire.transport.send,
    log,
    begunSession: () => (begun ? session.current() : undefined),
    onFailure(err) {
      log.error({ err }, 'the protocol library could not be loaded');
      wire.endAll(toAppError(err));
    },
  });
  wire.transport.onmessage = deliver;

  function deliver(message: JSONRPCMessage): void {
    const isRequest = 'method' in message && 'id' in message;
    if (isRequest && beginsSession(message)) begun = true;
    if (!begun) return sdk.deliver(message);
    if (isRequest) return hotPath.take(message) ? undefined : sdk.deliver(message);
    if (isCancellation(message) && hotPath.cancel(message.params.requestId, message.params.reason)) return;
    // Other notifications and responses mean nothing to a server that has not been asked anything.
    if (sdk.isUsed()) sdk.deliver(message);
  }

  /** Once the SDK has seen a message, it decides the era; so it does where an initialize claims to be of the other one. */
  function beginsSession({ method, params }: RequestMessage): boolean {
    return method === 'initialize' && !sdk.isUsed() && claimedVersion(params) === undefined;
  }

  function tellUpdated(params: { uri: string; _meta?: Record<string, unknown> }): Promise<void> {
    return wire.transport.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params });
  }

  const stopListChanges = registry.onListChanged((list) => {
    if (!begun) return sdk.tellListChanged(list);
    wire.transport.send({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }).catch(() => {});
  });

  if (options.restored) {
    setImmediate(() => {
      for (const uri of session.current()?.subscriptions ?? []) void takeUp(uri, options.heard);
    });
  }

  /** A subscription of an earlier process goes on: from the last event that was told where that is known and kept. */
  async function takeUp(pattern: string, after: number | undefined): Promise<void> {
    const look = (uri: string) => registry.checkSubscription(uri, { principal, era: 'legacy' }).catch(() => undefined);
    const resumed = after === undefined ? undefined : await look(resumeAfter(pattern, after));
    // What a pattern stands for is looked up again; where that fails, it stands for itself.
    const found = resumed ?? (await look(pattern));
    const isWanted = session.current()?.subscriptions.includes(pattern);
    if (isWanted && !subscriptions.has(pattern)) subscriptions.add(pattern, found ?? { follows: [pattern] });
    if (!resumed) repeatUpdate(pattern);
  }

  /** Something may have been missed: whoever subscribed is to look for itself. */
  function repeatUpdate(uri: string): void {
    tellUpdated({ uri }).catch(() => {});
  }

  function repeatUpdates(): void {
    for (const uri of session.current()?.subscriptions ?? []) repeatUpdate(uri);
  }

  async function end(): Promise<void> {
    await wire.drain();
    stopListChanges();
    subscriptions.close();
    for (const listen of listens.values()) listen.subscriptions.close();
    hotPath.close();
    await sdk.close();
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

type Cancellation = JSONRPCMessage & { params: { requestId: RequestId; reason?: unknown } };

function isCancellation(message: JSONRPCMessage): message is Cancellation {
  return 'method' in message && message.method === 'notifications/cancelled' && message.params !== undefined;
}
