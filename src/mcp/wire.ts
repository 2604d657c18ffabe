import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import { AppError, toAppError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import { type NotificationMessage, openEnvelope, type RequestMessage } from './envelope.ts';
import { type Era, restoreResourceCode, type WireError, wireError } from './errors.ts';
import type { RequestId } from './id-scanner.ts';
import { type Gate, tookTooLong } from './limits.ts';
import { isLogLevel } from './log-levels.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { claimedVersion } from './versions.ts';

export interface WireParts {
  /** Hands a message to the client; resolves when it may take the next one. */
  write(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  session: SessionKeeper;
  gate: Gate;
  /** Any request is over after this long, whatever it does. */
  requestLimitMs: number;
  log: Log;
  /** Whether a `subscriptions/listen` may begin; throws why not. */
  listen?(id: RequestId, uris: readonly string[]): Promise<void>;
  endListen?(id: RequestId): void;
  /** The client gave this request up: it will get no answer. */
  onCancelled?(id: RequestId): void;
  setLogLevel?(level: string): void;
  /** The client asked to end its session, and has been answered. */
  onShutdown(): void;
}

interface InFlight {
  era: Era;
  timer: NodeJS.Timeout;
  leave(): void;
}

/**
 * What stands between a transport's bytes and the SDK, on every connection that lasts: envelopes are checked, each
 * request is counted, limited in time and answered exactly once, and the session follows what passes by.
 */
export function createWire(parts: WireParts) {
  const inFlight = new Map<RequestId, InFlight>();
  const listening = new Set<RequestId>();
  let idle = Promise.withResolvers<void>();
  let draining = false;

  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message, options) => {
      if (!('method' in message) && message.id !== undefined) {
        const request = inFlight.get(message.id);
        if (!request) return endListen(message.id) ? parts.write(message, options) : undefined;
        if ('error' in message && request.era === 'legacy') restoreResourceCode(message.error);
        settle(message.id);
      }
      return parts.write(message, options);
    },
  };

  /** One JSON value from the client: a message, or a batch of them. */
  function receive(value: unknown): void {
    if (!Array.isArray(value)) return receiveOne(value);
    if (value.length === 0) return refuse(null, { code: -32600, message: 'Invalid Request: an empty batch.' });
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
        return deliver(envelope.message as JSONRPCMessage);
      case 'invalid': {
        const title = envelope.code === -32600 ? 'Invalid Request' : 'Invalid params';
        return refuse(envelope.id, { code: envelope.code, message: `${title}: ${envelope.problem}.` });
      }
      case 'ignored':
        return parts.log.debug({ problem: envelope.problem }, 'a message was ignored');
    }
  }

  function request(message: RequestMessage): void {
    const { id, method, params } = message;
    const era: Era = claimedVersion(params) === undefined ? 'legacy' : 'modern';
    try {
      if (inFlight.has(id) || listening.has(id)) {
        return refuse(id, { code: -32600, message: 'Invalid Request: this id is in use by a running request.' });
      }
      if (draining) throw new AppError('SERVICE_UNAVAILABLE', 'Switchboard is shutting down.');
      if (method === 'subscriptions/listen' && era === 'modern') return listen(message);
      if (era === 'legacy' && !observe(message)) return;
      enter(id, era);
      deliver(message as JSONRPCMessage);
    } catch (thrown) {
      refuse(id, wireError(toAppError(thrown), era));
    }
  }

  /** What a session's own requests change here; `false` when the request is answered already. */
  function observe({ id, method, params }: RequestMessage): boolean {
    if (method === 'initialize') parts.session.initialize(params);
    if (method === 'logging/setLevel') {
      const level = params?.level;
      if (!isLogLevel(level)) {
        throw new AppError('VALIDATION_ERROR', 'level must be one of the levels of syslog, such as info or warning.', {
          field: 'level',
        });
      }
      parts.session.setLogLevel(level);
      parts.setLogLevel?.(level);
    }
    if (method !== 'shutdown') return true;
    parts.session.beginClose('shutdown');
    drain().then(async () => {
      await parts.write({ jsonrpc: '2.0', id, result: {} });
      parts.onShutdown();
    }, reportFailure);
    return false;
  }

  function notification(message: NotificationMessage): void {
    if (message.method === 'notifications/initialized') parts.session.confirm();
    deliver(message as JSONRPCMessage);
    if (message.method !== 'notifications/cancelled') return;
    // The SDK answers no cancelled request, so nothing else will end it here.
    const id = message.params?.requestId as RequestId;
    endListen(id);
    settle(id);
    parts.onCancelled?.(id);
  }

  function listen(message: RequestMessage): void {
    const { id, params } = message;
    const filter = params?.notifications as { resourceSubscriptions?: unknown } | undefined;
    const uris = Array.isArray(filter?.resourceSubscriptions) ? filter.resourceSubscriptions.map(String) : [];
    listening.add(id);
    (parts.listen?.(id, uris) ?? Promise.resolve()).then(
      () => deliver(message as JSONRPCMessage),
      (thrown: unknown) => {
        listening.delete(id);
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

  function enter(id: RequestId, era: Era): void {
    const leave = parts.gate.enter();
    const timer = setTimeout(() => expire(id, era), parts.requestLimitMs);
    timer.unref();
    inFlight.set(id, { era, timer, leave });
  }

  function expire(id: RequestId, era: Era): void {
    if (!inFlight.has(id)) return;
    deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'timeout' } });
    settle(id);
    refuse(id, wireError(tookTooLong(parts.requestLimitMs), era));
  }

  function settle(id: RequestId): void {
    const request = inFlight.get(id);
    if (!request) return;
    clearTimeout(request.timer);
    inFlight.delete(id);
    request.leave();
    if (inFlight.size > 0) return;
    idle.resolve();
    idle = Promise.withResolvers<void>();
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

  return { transport, receive, refuse, drain, running: () => inFlight.size };
}

export type Wire = ReturnType<typeof createWire>;
