import {
  type JSONRPCMessage,
  type McpServer,
  SUBSCRIPTION_ID_META_KEY,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
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
import { resumeAfter } from './patterns.ts';
import type { Registry, Subscription } from './registry.ts';
import { createProtocolServer, type ServerParts } from './server.ts';
import { createSessionKeeper, type SessionOptions } from './session-keeper.ts';
import { checkCount, checkListened, createSubscriptions, type Subscriptions, updateMeta } from './subscriptions.ts';
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
  let server: { era: Era; mcp: McpServer } | undefined;
  const hearing = { registry, principal, log, ...(options.ready ? { ready: options.ready } : {}) };

  // Before 2026-07-28 the notification names the resource itself; since then what the client subscribed to.
  const subscriptions = createSubscriptions({
    ...hearing,
    deliver: async (_, update) => {
      await server?.mcp.server.sendResourceUpdated({ uri: update.uri, _meta: updateMeta(update) });
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
    onBegun: () => setImmediate(passEraSwitch),
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
          params: { uri, _meta: { ...updateMeta(update), [SUBSCRIPTION_ID_META_KEY]: id } },
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
      for (const uri of session.current()?.subscriptions ?? []) void takeUp(uri, options.heard);
    });
  }

  /** Tells a new server what the client said to the old one; the answers go nowhere. */
  function restore({ protocolVersion, client, clientCapabilities, logLevel }: Session): void {
    const say = (method: string, params: Record<string, unknown>) =>
      wire.transport.onmessage?.({ jsonrpc: '2.0', id: `restored ${method}`, method, params });
    say('initialize', { protocolVersion, clientInfo: client, capabilities: clientCapabilities });
    wire.transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/initialized' });
    if (logLevel !== undefined) say('logging/setLevel', { level: logLevel });
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
    server?.mcp.server.sendResourceUpdated({ uri }).catch(() => {});
  }

  function repeatUpdates(): void {
    for (const uri of session.current()?.subscriptions ?? []) repeatUpdate(uri);
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
    for (const listen of listens.values()) listen.subscriptions.close();
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
