import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import { type AppError, toAppError } from '../domain/errors.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import type { Log } from '../lib/log.ts';
import type { Settle } from '../operation.ts';
import { type NotificationMessage, openEnvelope, type RequestMessage } from './envelope.ts';
import { type Era, replaceSchemaMessages, restoreResourceCode, type WireError, wireError } from './errors.ts';
import { shuttingDown, tookTooLong } from './limits.ts';
import { isLogLevel } from './log-levels.ts';
import { failureOf } from './observed-request.ts';
import { checkParams } from './params.ts';
import { createRequestTracker, type RequestTrackerParts } from './request-tracker.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { listenedUris } from './subscriptions.ts';
import { STATELESS_VERSION, SUBSCRIPTION_ID_KEY } from './versions.ts';
import { decide, evolve, initialState, type RunningRequest, type WireEvent } from './wire-state.ts';

export interface WireParts extends RequestTrackerParts {
  /** Writes a message to the client; resolves when the next may be written. `settle` reports whether it was sent. */
  write(message: JSONRPCMessage, options?: TransportSendOptions, settle?: Settle): Promise<void>;
  session: SessionKeeper;
  log: Log;
  /** Checks whether a `subscriptions/listen` may begin; throws where not. */
  listen?(id: RequestId, uris: readonly string[]): Promise<void>;
  /** It has been acknowledged, so its notifications may follow. */
  beginListen?(id: RequestId): void;
  endListen?(id: RequestId): void;
  /** The client cancelled this request: it gets no answer. */
  onCancelled?(id: RequestId): void;
  setLogLevel?(level: string): void;
  /** An initialize has succeeded. */
  onBegun?(): void;
  /** The client requested the end of its session, and has been answered. */
  onShutdown(): void;
}

/** Larger batches can be sent as several. */
export const MAX_BATCH_SIZE = 100;

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/**
 * Between a transport's bytes and the request handlers of every persistent connection: checks envelopes, counts
 * requests, enforces deadlines, answers each exactly once, and updates the session. The state is in `wire-state.ts`;
 * the effects are here.
 */
export function createWire(parts: WireParts) {
  const tracker = createRequestTracker(parts);
  let state = initialState({ inSession: parts.session.current() !== undefined });
  /** Set while something waits for the running requests. */
  let idle: PromiseWithResolvers<void> | undefined;
  /** A session that is being written to disk. */
  let saving: Promise<void> | undefined;

  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: (message, options) => {
      if (!('method' in message) && message.id !== undefined) return answer(message.id, message, options);
      if (!('method' in message) || message.method !== ACKNOWLEDGED) return parts.write(message, options);
      const id = acknowledgedId(message.params);
      settle(id);
      const written = parts.write(message, options);
      parts.beginListen?.(id);
      return written;
    },
  };

  function apply(event: WireEvent): void {
    state = evolve(state, event);
  }

  /** Nothing is written for a request that has ended: it was cancelled, or took too long and has its answer. */
  async function answer(id: RequestId, message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const request = tracker.get(id);
    if (saving || request?.method === 'initialize') {
      await saveFirst(request);
      if (request && tracker.get(id) !== request) return;
    }
    if (request || state.listening.has(id)) await finish(id, request, message, options);
  }

  async function saveFirst(request: RunningRequest | undefined): Promise<void> {
    // A client that sends more before the answer to its initialize is answered in order.
    if (request?.method !== 'initialize') return saving;
    // From here on the client relies on its session, and may resume it in another process.
    saving = parts.session.saved();
    await saving;
    saving = undefined;
  }

  async function finish(
    id: RequestId,
    request: RunningRequest | undefined,
    message: JSONRPCMessage,
    options?: TransportSendOptions,
  ): Promise<void> {
    const delivered = 'result' in message ? tracker.takeSettle(id) : undefined;
    tracker.report(id, 'error' in message ? failureOf(withOwnMessage(message.error, request?.era)) : undefined);
    endListen(id);
    settle(id);
    if (request?.method === 'initialize' && !state.inSession) concludeInitialize('result' in message);
    try {
      await parts.write(message, options, delivered);
    } catch (err) {
      delivered?.(false);
      // Such as a result that is nested too deeply for JSON.
      parts.log.error({ err }, 'an answer could not be written');
      refuse(id, wireError(toAppError(err), request?.era ?? 'modern'));
    }
  }

  function concludeInitialize(succeeded: boolean): void {
    if (!succeeded) return parts.session.abandon();
    apply({ type: 'SessionBegun' });
    parts.onBegun?.();
  }

  /** One JSON value from the client: a message, or a batch of them. */
  function receive(value: unknown): void {
    if (!Array.isArray(value)) return receiveOne(value);
    if (value.length === 0) return refuse(null, { code: -32600, message: 'Invalid Request: an empty batch.' });
    if (value.length > MAX_BATCH_SIZE) {
      const message = `Invalid Request: a batch may have at most ${MAX_BATCH_SIZE} messages.`;
      return refuse(null, { code: -32600, message });
    }
    for (const entry of value) receiveOne(entry);
  }

  function receiveOne(value: unknown): void {
    const envelope = openEnvelope(value);
    switch (envelope.kind) {
      case 'request':
        return receiveRequest(envelope.message);
      case 'notification':
        return receiveNotification(envelope.message);
      case 'response':
        return tryToDeliver(envelope.message as JSONRPCMessage);
      case 'invalid': {
        const title = envelope.code === -32600 ? 'Invalid Request' : 'Invalid params';
        return refuse(envelope.id, { code: envelope.code, message: `${title}: ${envelope.problem}.` });
      }
      case 'ignored':
        return parts.log.debug({ problem: envelope.problem }, 'a message was ignored');
    }
  }

  function receiveRequest(message: RequestMessage): void {
    const { kind, request } = decide(state, message, tracker.has(message.id));
    switch (kind) {
      case 'in-use':
        return refuse(request.id, {
          code: -32600,
          message: 'Invalid Request: this id is in use by a running request.',
        });
      case 'draining':
        return refuse(request.id, wireError(shuttingDown(), request.era));
      case 'shutdown':
        return shutdown(request.id);
      default:
        return start(message, request, kind);
    }
  }

  function start(message: RequestMessage, request: RunningRequest, kind: 'run' | 'listen'): void {
    const { id, era } = request;
    try {
      const version = era === 'modern' ? STATELESS_VERSION : parts.session.current()?.protocolVersion;
      tracker.begin(message, request, version, () => timeOut(request));
      checkParams(message, era);
      if (kind === 'listen') return listen(message, request);
      if (era === 'legacy') updateSession(message);
      parts.session.used();
      deliver(message as JSONRPCMessage);
    } catch (thrown) {
      const error = toAppError(thrown);
      tracker.report(id, error.code);
      settle(id);
      const isRepeated = message.method === 'initialize' && error.code === 'CONFLICT';
      refuse(id, { ...wireError(error, era), ...(isRepeated ? { code: -32600 } : {}) });
    }
  }

  function updateSession({ method, params }: RequestMessage): void {
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
    }, logFailedWrite);
  }

  function receiveNotification(message: NotificationMessage): void {
    if (message.method === 'notifications/initialized') parts.session.confirm();
    tryToDeliver(message as JSONRPCMessage);
    if (message.method !== 'notifications/cancelled') return;
    // A cancelled request gets no answer, so nothing else ends it here.
    const id = message.params?.requestId as RequestId;
    endListen(id);
    settle(id);
    parts.onCancelled?.(id);
  }

  /** Running until it is acknowledged; then it remains open without being counted. */
  function listen(message: RequestMessage, request: RunningRequest): void {
    const { id } = request;
    const isRunning = () => tracker.get(id) === request;
    const checked = parts.listen?.(id, listenedUris(message.params)) ?? Promise.resolve();
    checked.then(
      () => {
        // Cancelled while it was checked.
        if (!isRunning()) return parts.endListen?.(id);
        apply({ type: 'ListenOpened', id });
        deliver(message as JSONRPCMessage);
      },
      (thrown: unknown) => {
        if (!isRunning()) return;
        settle(id);
        refuse(id, wireError(toAppError(thrown), 'modern'));
      },
    );
  }

  function endListen(id: RequestId): void {
    if (!state.listening.has(id)) return;
    apply({ type: 'ListenEnded', id });
    parts.endListen?.(id);
  }

  function timeOut(request: RunningRequest): void {
    if (tracker.get(request.id) === request) stop(request, tookTooLong(parts.requestLimitMs));
  }

  /** Cancels the work on a request and answers it with an error. */
  function stop({ id, era }: RunningRequest, reason: AppError): void {
    tryToDeliver({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: reason.message },
    });
    tracker.report(id, reason.code);
    endListen(id);
    settle(id);
    refuse(id, wireError(reason, era));
  }

  /** A request has ended: what it holds is released. */
  function settle(id: RequestId): void {
    tracker.end(id);
    if (tracker.count() === 0) idle?.resolve();
  }

  /** For messages that get no answer: the SDK may throw at them, for example while it formats an error. */
  function tryToDeliver(message: JSONRPCMessage): void {
    try {
      deliver(message);
    } catch (err) {
      parts.log.debug({ err }, 'a message could not be delivered');
    }
  }

  function deliver(message: JSONRPCMessage): void {
    transport.onmessage?.(message);
  }

  function refuse(id: RequestId | null, error: WireError): void {
    // JSON-RPC wants `null` where no id could be read; the SDK's type knows only real ids.
    parts.write({ jsonrpc: '2.0', id: id as RequestId, error }).catch(logFailedWrite);
  }

  function logFailedWrite(err: unknown): void {
    parts.log.debug({ err }, 'an answer could not be written');
  }

  /** Accepts no new request; resolves when the running ones have been answered. */
  async function drain(): Promise<void> {
    apply({ type: 'DrainBegun' });
    if (tracker.count() === 0) return;
    idle ??= Promise.withResolvers<void>();
    await idle.promise;
  }

  return {
    transport,
    receive,
    refuse,
    drain,
    becameCall: tracker.becameCall,
    waitsForUser: tracker.stopTimeout,
    onDelivery: tracker.onDelivery,
    running: tracker.count,
    /** Stops every running request and answers it with this error. */
    endAll(reason: AppError): void {
      for (const request of tracker.all()) stop(request, reason);
    },
    /** The client has disconnected: running requests end without an answer. */
    abandon(): void {
      for (const { id } of tracker.all()) settle(id);
    },
  };
}

type SentError = Extract<JSONRPCMessage, { error: unknown }>['error'];

function withOwnMessage(error: SentError, era: Era | undefined): SentError {
  replaceSchemaMessages(error);
  if (era === 'legacy') restoreResourceCode(error);
  return error;
}

/** The listen request that a notification belongs to. */
function acknowledgedId(params: { _meta?: object | undefined } | undefined): RequestId {
  return (params?._meta as Record<string, RequestId> | undefined)?.[SUBSCRIPTION_ID_KEY] ?? '';
}
