import type { Json, JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { isTooDeep } from './nesting.ts';
import { createNotifications } from './notifications.ts';
import { createPendingRequests, type PeerRequestOptions, type PendingRequest } from './pending-requests.ts';
import { asNoise, asObject } from './protocol.ts';
import { createQuestions } from './questions.ts';
import { type Upstream, UpstreamFailure, type UpstreamListener, type UpstreamTransport } from './upstream.ts';

export type Peer = ReturnType<typeof createPeer>;

const MAX_ERROR_LENGTH = 4_000;

/**
 * JSON-RPC over a transport. Parameters and results pass through as they are, except for the progress token, which is the
 * id of the request.
 */
export function createPeer(transport: UpstreamTransport, listener: UpstreamListener) {
  let lastId = 0;
  let era: Upstream['era'] = 'sessions';
  /** Set when the connection has ended. */
  let end: UpstreamFailure | undefined;
  const closed = Promise.withResolvers<UpstreamFailure | undefined>();
  const pending = createPendingRequests((request) =>
    giveUp(request, new UpstreamFailure('timeout', 'The server did not answer in time.')),
  );
  const questions = createQuestions({ send: post, onNoise: noise });
  const notifications = createNotifications({ listener, pending, onCancelled: questions.cancel });

  transport.open({ onMessage, onTooLarge, onNoise: noise, onClosed });

  /** What is thrown here would end the whole process: one message of a server must not. */
  function onMessage(message: JsonObject, answering?: number): void {
    try {
      receive(message, answering);
    } catch {
      noise('A message of the server could not be handled and was dropped.');
    }
  }

  function request(method: string, params: JsonObject, options: PeerRequestOptions): Promise<JsonObject> {
    if (end) return Promise.reject(end);
    if (options.signal.aborted) return Promise.reject(cancelled());
    lastId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const entry: PendingRequest = {
      id: lastId,
      method,
      options,
      resolve,
      reject,
      onAbort: () => giveUp(entry, cancelled()),
      timer: undefined,
      questions: 0,
    };
    pending.add(entry);
    const token = options.onProgress ? lastId : undefined;
    try {
      const sent = transport.send({ jsonrpc: '2.0', id: lastId, method, params: withToken(params, token) });
      sent?.catch((failure: UpstreamFailure) => fail(entry, failure));
    } catch (cause) {
      fail(entry, new UpstreamFailure('protocol', 'The request cannot be written as JSON.', { cause }));
    }
    return promise;
  }

  /** Sends what is not answered. */
  function post(message: JsonObject): void {
    if (end) return;
    const onLost = () => noise('A message could not be delivered to the server.');
    try {
      transport.send(message)?.catch(onLost);
    } catch {
      onLost();
    }
  }

  function fail(entry: PendingRequest, failure: UpstreamFailure): void {
    if (pending.remove(entry)) entry.reject(failure);
  }

  function giveUp(entry: PendingRequest, failure: UpstreamFailure): void {
    if (!pending.giveUp(entry)) return;
    entry.reject(failure);
    // Without sessions, closing the stream of a request is what cancels it. A handshake cannot be cancelled.
    if ((era === 'sessions' || !transport.drop) && entry.method !== 'initialize') {
      const reason = failure.kind === 'timeout' ? 'timeout' : 'cancelled by the client';
      post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: entry.id, reason } });
    }
    transport.drop?.(entry.id);
  }

  function receive(message: JsonObject, answering?: number): void {
    const { method, id } = message;
    if (isTooDeep(message)) return dropDeep(message);
    if (typeof method !== 'string') return answer(message);
    const request = answering === undefined ? undefined : pending.get(answering);
    if (id === undefined) return notifications.take(method, asObject(message.params), request);
    questions.take(id, method, asObject(message.params), (_, params, signal) => ask(method, params, signal, request));
  }

  async function ask(method: string, params: JsonObject, signal: AbortSignal, answering: PendingRequest | undefined) {
    const request = answering?.options.onQuestion ? answering : pending.onlyOne('onQuestion');
    return pending.whilePaused(request, async () => {
      if (request?.options.onQuestion) return request.options.onQuestion(method, params, signal);
      return listener.onQuestion(method, params, signal);
    });
  }

  function answer(message: JsonObject): void {
    const { id, error, result } = message;
    const entry = typeof id === 'number' ? pending.get(id) : undefined;
    // Also the late answer to a request that was cancelled.
    if (!entry) return;
    if (isRecord(error)) return fail(entry, rpcFailure(error));
    if (!isRecord(result)) return fail(entry, new UpstreamFailure('protocol', 'The server answered without a result.'));
    pending.remove(entry);
    entry.resolve(result);
  }

  function dropDeep({ id, method }: JsonObject): void {
    const entry = method === undefined && typeof id === 'number' ? pending.get(id) : undefined;
    if (entry) fail(entry, new UpstreamFailure('protocol', 'The answer of the server is nested too deeply.'));
    else noise('A message that is nested too deeply was dropped.');
  }

  function onTooLarge(id: string | number | null): void {
    const entry = typeof id === 'number' ? pending.get(id) : undefined;
    if (entry) fail(entry, new UpstreamFailure('too-large', 'The answer of the server is larger than the limit.'));
    else noise('A message over the size limit was dropped.');
  }

  function onClosed(cause?: UpstreamFailure): void {
    if (end) return;
    end = cause ?? new UpstreamFailure('closed', 'The connection to the server has ended.');
    for (const entry of pending.all()) fail(entry, end);
    questions.cancelAll();
    notifications.stop();
    closed.resolve(cause);
  }

  function noise(text: string): void {
    listener.onNoise(asNoise(text));
  }

  return {
    request,
    /** Resolves when the transport has delivered it. */
    async notify(method: string, params?: JsonObject): Promise<void> {
      if (end) throw end;
      await transport.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
    },
    began(as: Upstream['era'], version: string): void {
      era = as;
      transport.began?.(as, version);
    },
    /** Why the connection has ended. */
    ended: () => end,
    closed: closed.promise,
    async close(): Promise<void> {
      await transport.close();
      onClosed();
    },
  };
}

/** A token of the caller means nothing on this connection: it could be that of another request. */
function withToken(params: JsonObject, token: number | undefined): JsonObject {
  const meta = params._meta;
  if (token !== undefined) return { ...params, _meta: { ...asObject(meta), progressToken: token } };
  if (!isRecord(meta) || meta.progressToken === undefined) return params;
  const { progressToken: _, ...others } = meta;
  return { ...params, _meta: others };
}

function rpcFailure({ code, message, data }: JsonObject): UpstreamFailure {
  return new UpstreamFailure('rpc', 'The server answered with an error.', {
    rpc: {
      code: Number.isSafeInteger(code) ? (code as number) : -32603,
      message: textOf(message).slice(0, MAX_ERROR_LENGTH),
      ...(data === undefined ? {} : { data }),
    },
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function cancelled(): UpstreamFailure {
  return new UpstreamFailure('cancelled', 'The request was cancelled.');
}
