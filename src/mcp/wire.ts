import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import { type AppError, toAppError } from '../domain/errors.ts';
import type { RequestObserver } from '../domain/protocol-request.ts';
import { setFrequentTimeout } from '../lib/frequent-timeout.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Log } from '../lib/log.ts';
import type { Settle } from '../operation.ts';
import { type NotificationMessage, openEnvelope, type RequestMessage } from './envelope.ts';
import { type Era, restoreResourceCode, useOwnWords, type WireError, wireError } from './errors.ts';
import type { RequestId } from './id-scanner.ts';
import { type Gate, shuttingDown, tookTooLong } from './limits.ts';
import { isLogLevel } from './log-levels.ts';
import { failureOf, protocolRequest } from './observed-request.ts';
import { invalid, textOf } from './params.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { listenedUris } from './subscriptions.ts';
import { claimedVersion, STATELESS_VERSION, SUBSCRIPTION_ID_KEY } from './versions.ts';

export interface WireParts {
  /** Hands a message to the client; resolves when it may take the next one. `settle` says whether this one has left. */
  write(message: JSONRPCMessage, options?: TransportSendOptions, settle?: Settle): Promise<void>;
  session: SessionKeeper;
  gate: Gate;
  /** Any request is over after this long, whatever it does. */
  requestLimitMs: number;
  log: Log;
  /** Whoever wants to know of requests that become no call; asked for each. */
  requestObserver?: (() => RequestObserver | undefined) | undefined;
  /** Whether a `subscriptions/listen` may begin; throws why not. */
  listen?(id: RequestId, uris: readonly string[]): Promise<void>;
  /** It has been acknowledged, so what it is about may follow. */
  beginListen?(id: RequestId): void;
  endListen?(id: RequestId): void;
  /** The client gave this request up: it will get no answer. */
  onCancelled?(id: RequestId): void;
  setLogLevel?(level: string): void;
  /** An initialize has been answered well. */
  onBegun?(): void;
  /** The client asked to end its session, and has been answered. */
  onShutdown(): void;
}

interface InFlight {
  era: Era;
  method: string;
  timer: NodeJS.Timeout;
  leave(): void;
  /** Where somebody observes requests, and this one has not become a call. */
  ended?: ReturnType<RequestObserver> | undefined;
  /** Told whether its answer has left. */
  settle?: Settle;
}

/** Whoever sends more at once can send a second batch. */
export const MOST_IN_BATCH = 100;

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/**
 * What stands between a transport's bytes and the SDK, on every connection that lasts: envelopes are checked, each
 * request is counted, limited in time and answered exactly once, and the session follows what passes by.
 */
export function createWire(parts: WireParts) {
  const inFlight = new Map<RequestId, InFlight>();
  const listening = new Set<RequestId>();
  let idle = Promise.withResolvers<void>();
  let draining = false;
  /** An initialize has been answered well; before that a session may still come to nothing. */
  let inSession = parts.session.current() !== undefined;
  /** A session that is on its way to the disk. */
  let saving: Promise<void> | undefined;

  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message, options) => {
      if (!('method' in message) && message.id !== undefined) return answer(message.id, message, options);
      if (!('method' in message) || message.method !== ACKNOWLEDGED) return parts.write(message, options);
      const id = acknowledgedId(message.params);
      settle(id);
      const written = parts.write(message, options);
      parts.beginListen?.(id);
      return written;
    },
  };

  /** Nothing is written for a request that is not waiting: it was cancelled, or took too long and has its answer. */
  async function answer(id: RequestId, message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const request = inFlight.get(id);
    if (request?.method === 'initialize') {
      // From here on the client counts on its session, and may come back with it to another process.
      saving = parts.session.saved();
      await saving;
      saving = undefined;
      if (inFlight.get(id) !== request) return;
    } else if (saving) {
      // A client that asked on without waiting is answered in the order in which it asked.
      await saving;
      if (request && inFlight.get(id) !== request) return;
    }
    if (!endListen(id) && !request) return;
    const told = 'result' in message ? request?.settle : undefined;
    if (told) delete request?.settle;
    settle(id);
    if ('error' in message) {
      useOwnWords(message.error);
      if (request?.era === 'legacy') restoreResourceCode(message.error);
      request?.ended?.(failureOf(message.error));
    } else request?.ended?.();
    if (request?.method === 'initialize' && !inSession) begin('result' in message);
    try {
      await parts.write(message, options, told);
    } catch (err) {
      told?.(false);
      // Such as a result that is nested too deeply to be written down.
      parts.log.error({ err }, 'an answer could not be written');
      refuse(id, wireError(toAppError(err), request?.era ?? 'modern'));
    }
  }

  function begin(accepted: boolean): void {
    inSession = accepted;
    if (accepted) parts.onBegun?.();
    else parts.session.abandon();
  }

  /** One JSON value from the client: a message, or a batch of them. */
  function receive(value: unknown): void {
    if (!Array.isArray(value)) return receiveOne(value);
    if (value.length === 0) return refuse(null, { code: -32600, message: 'Invalid Request: an empty batch.' });
    if (value.length > MOST_IN_BATCH) {
      const message = `Invalid Request: a batch may have at most ${MOST_IN_BATCH} messages.`;
      return refuse(null, { code: -32600, message });
    }
    for (const entry of value) receiveOne(entry);
  }

  function receiveOne(value: unknown): void {
    const envelope = openEnvelope(value);
    switch (envelope.kind) {
      case 'request':
        return request(envelope.message);
      case 'notification':
        return notification(envelope.message);
      case 'response':
        return tell(envelope.message as JSONRPCMessage);
      case 'invalid': {
        const title = envelope.code === -32600 ? 'Invalid Request' : 'Invalid params';
        return refuse(envelope.id, { code: envelope.code, message: `${title}: ${envelope.problem}.` });
      }
      case 'ignored':
        return parts.log.debug({ problem: envelope.problem }, 'a message was ignored');
    }
  }

  function request(message: RequestMessage): void {
    const { id, method } = message;
    const era = eraOf(message);
    if (inFlight.has(id) || listening.has(id)) {
      return refuse(id, { code: -32600, message: 'Invalid Request: this id is in use by a running request.' });
    }
    try {
      if (draining) throw shuttingDown();
      if (era === 'legacy' && method === 'shutdown') return shutdown(id);
      enter(message, era);
      checkParams(message, era);
      if (era === 'modern' && method === 'subscriptions/listen') return listen(message);
      if (era === 'legacy') observe(message);
      parts.session.used();
      deliver(message as JSONRPCMessage);
    } catch (thrown) {
      const error = toAppError(thrown);
      inFlight.get(id)?.ended?.(error.code);
      settle(id);
      refuse(id, wireError(error, era));
    }
  }

  /** A connection that has a session keeps its era, whatever a request claims. */
  function eraOf({ method, params }: RequestMessage): Era {
    if (method === 'initialize' || inSession) return 'legacy';
    return claimedVersion(params) === undefined ? 'legacy' : 'modern';
  }

  /** What a session's own requests change here. */
  function observe({ method, params }: RequestMessage): void {
    if (method === 'initialize') parts.session.initialize(params);
    if (method !== 'logging/setLevel' || !isLogLevel(params?.level)) return;
    parts.session.setLogLevel(params.level);
    parts.setLogLevel?.(params.level);
  }

  function shutdown(id: RequestId): void {
    parts.session.beginClose('shutdown');
    drain().then(async () => {
      await parts.write({ jsonrpc: '2.0', id, result: {} });
      parts.onShutdown();
    }, reportFailure);
  }

  function notification(message: NotificationMessage): void {
    if (message.method === 'notifications/initialized') parts.session.confirm();
    tell(message as JSONRPCMessage);
    if (message.method !== 'notifications/cancelled') return;
    // The SDK answers no cancelled request, so nothing else will end it here.
    const id = message.params?.requestId as RequestId;
    endListen(id);
    settle(id);
    parts.onCancelled?.(id);
  }

  /** In flight until it is acknowledged; then it stays open, and is counted no longer. */
  function listen(message: RequestMessage): void {
    const { id, params } = message;
    const entry = inFlight.get(id);
    const looked = parts.listen?.(id, listenedUris(params)) ?? Promise.resolve();
    looked.then(
      () => {
        // Cancelled while it was looked at.
        if (inFlight.get(id) !== entry) return parts.endListen?.(id);
        listening.add(id);
        deliver(message as JSONRPCMessage);
      },
      (thrown: unknown) => {
        if (inFlight.get(id) !== entry) return;
        settle(id);
        refuse(id, wireError(toAppError(thrown), 'modern'));
      },
    );
  }

  /** Whether there was one. */
  function endListen(id: RequestId): boolean {
    if (!listening.delete(id)) return false;
    parts.endListen?.(id);
    return true;
  }

  function enter(message: RequestMessage, era: Era): void {
    const { id, method } = message;
    const leave = parts.gate.enter();
    const timer = setFrequentTimeout(() => expire(id, era), parts.requestLimitMs);
    timer.unref();
    inFlight.set(id, { era, method, timer, leave });
    const observe = parts.requestObserver?.();
    if (observe) observed(message, era, observe);
  }

  function observed(message: RequestMessage, era: Era, observe: RequestObserver): void {
    const request = inFlight.get(message.id);
    if (!request || message.method === 'subscriptions/listen') return;
    const version = era === 'modern' ? STATELESS_VERSION : parts.session.current()?.protocolVersion;
    request.ended = observe(protocolRequest(message, version));
  }

  /** It has become a call, and is observed as such. */
  function reached(id: RequestId): void {
    const request = inFlight.get(id);
    if (request) request.ended = undefined;
  }

  function expire(id: RequestId, era: Era): void {
    if (inFlight.has(id)) end(id, era, tookTooLong(parts.requestLimitMs));
  }

  /** Stops the work on a request and answers it. */
  function end(id: RequestId, era: Era, why: AppError): void {
    tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: why.message } });
    inFlight.get(id)?.ended?.(why.code);
    endListen(id);
    settle(id);
    refuse(id, wireError(why, era));
  }

  function settle(id: RequestId): void {
    const request = inFlight.get(id);
    if (!request) return;
    clearTimeout(request.timer);
    inFlight.delete(id);
    request.leave();
    request.settle?.(false);
    if (inFlight.size > 0) return;
    idle.resolve();
    idle = Promise.withResolvers<void>();
  }

  /** For what nobody waits for: the library may fail at it, such as at putting it into an error's words. */
  function tell(message: JSONRPCMessage): void {
    try {
      deliver(message);
    } catch (err) {
      parts.log.debug({ err }, 'a message could not be handed on');
    }
  }

  function deliver(message: JSONRPCMessage): void {
    transport.onmessage?.(message);
  }

  function refuse(id: RequestId | null, error: WireError): void {
    // JSON-RPC wants `null` where no id could be read; the SDK's type knows only real ids.
    parts.write({ jsonrpc: '2.0', id: id as RequestId, error }).catch(reportFailure);
  }

  function reportFailure(err: unknown): void {
    parts.log.debug({ err }, 'an answer could not be written');
  }

  /** No new request is taken; resolves when those in flight have been answered. */
  async function drain(): Promise<void> {
    draining = true;
    if (inFlight.size > 0) await idle.promise;
  }

  /** Nothing goes on: what is in flight is stopped and answered with this. */
  function endAll(why: AppError): void {
    for (const [id, { era }] of [...inFlight]) end(id, era, why);
  }

  /** The client is gone: nobody waits for what is in flight. */
  function abandon(): void {
    for (const id of [...inFlight.keys()]) settle(id);
  }

  /** Nothing leaves for a request that is not waiting. */
  function onDelivery(id: RequestId, tell: Settle): void {
    const request = inFlight.get(id);
    if (!request) return tell(false);
    const earlier = request.settle;
    request.settle = (delivered) => {
      earlier?.(delivered);
      tell(delivered);
    };
  }

  return { transport, receive, reached, refuse, drain, endAll, abandon, onDelivery, running: () => inFlight.size };
}

/** What the SDK looks at before our handlers do: it would answer with its schema library's words. */
export function checkParams({ method, params = {} }: Pick<RequestMessage, 'method' | 'params'>, era: Era): void {
  if (method === 'tools/call') {
    textOf(params, 'name');
    if (params.arguments !== undefined && !isRecord(params.arguments)) throw invalid('arguments', 'must be an object');
  }
  // The stateless protocol has no such method, which the SDK says.
  if (era === 'legacy' && method === 'logging/setLevel' && !isLogLevel(params.level)) {
    throw invalid('level', 'must be one of the levels of syslog, such as info or warning');
  }
}

/** Which listen request it is about; every notification of a subscription says so. */
function acknowledgedId(params: { _meta?: object | undefined } | undefined): RequestId {
  return (params?._meta as Record<string, RequestId> | undefined)?.[SUBSCRIPTION_ID_KEY] ?? '';
}
