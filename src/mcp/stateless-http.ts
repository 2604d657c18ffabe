import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler, InMemoryServerEventBus } from '@modelcontextprotocol/server';
import { AppError, toAppError } from '../domain/errors.ts';
import type { RequestObserver } from '../domain/protocol-request.ts';
import { isRecord } from '../lib/is-record.ts';
import { jsonLine } from '../lib/json-line.ts';
import { responseWritten } from '../lib/response-written.ts';
import type { Settle } from '../operation.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import { isRequestId } from './envelope.ts';
import { useOwnWords, type WireError, wireError } from './errors.ts';
import { sendJson } from './http-answers.ts';
import type { RequestId } from './id-scanner.ts';
import { type Gate, requestLimitMs, shuttingDown, tookTooLong } from './limits.ts';
import { failureOf, protocolRequest } from './observed-request.ts';
import { checkParams } from './params.ts';
import type { Caller, Registry, Subscription } from './registry.ts';
import { createProtocolServer } from './server.ts';
import { checkListened, createSubscriptions, listenedUris, updateMeta } from './subscriptions.ts';
import { STATELESS_VERSION } from './versions.ts';

/** 2026-07-28 on HTTP: each request stands for itself, so a server is made for each; the SDK checks the headers. */
export function createStatelessHandler(parts: DoorParts) {
  const endpoints = new Map<Registry, Endpoint>();
  const gates = new Map<string, Gate>();
  const running = new Set<Promise<void>>();
  const log = parts.log.child({ component: 'mcp', transport: 'http' });
  let closed = false;

  function endpointOf({ registry }: ClientAccess): Endpoint {
    const known = endpoints.get(registry);
    if (known) return known;
    const made = createEndpoint(parts, registry, (err) => log.debug({ err }, 'the protocol library reports'));
    endpoints.set(registry, made);
    return made;
  }

  /** Without sessions, a connection is whoever calls. */
  function gateOf(access: ClientAccess): Gate {
    const known = gates.get(access.principal.name) ?? parts.gates.createGate();
    gates.set(access.principal.name, known);
    return known;
  }

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    access: ClientAccess,
  ): Promise<void> {
    const listens = isRecord(body) && body.method === 'subscriptions/listen';
    const id = isRecord(body) && isRequestId(body.id) ? body.id : null;
    const endpoint = endpointOf(access);
    let ended = listens || id === null ? undefined : observed(body as Record<string, unknown>, id);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    let entered: Entered;
    try {
      if (isRecord(body)) checkParams(messageOf(body), 'modern');
      entered = listens
        ? await endpoint.listen(body, access, response)
        : { leave: gateOf(access).enter(), serve: endpoint.serve };
      if (response.closed) return entered.leave();
      response.once('close', entered.leave);
      if (closed) throw shuttingDown();
    } catch (thrown) {
      const error = toAppError(thrown);
      ended?.(error.code);
      return sendJson(response, refusalStatus(error), failure(id, error));
    }
    if (!listens) watch(response, id);
    const reached = () => {
      ended = undefined;
    };
    const told: Settle[] = [];
    const onDelivery = (_: RequestId, settle: Settle) => void told.push(settle);
    let delivered = false;
    try {
      const asking = { ...access, reached, onDelivery };
      const answer = await entered.serve(toWebRequest(request, gone.signal), body, asking);
      const relayed = await relay(answer, response);
      ended?.(...(relayed.error ? [failureOf(relayed.error)] : []));
      delivered = relayed.isAnswer && told.length > 0 && (await responseWritten(response));
    } finally {
      for (const settle of told) settle(delivered);
    }
  }

  function observed(body: Record<string, unknown>, id: RequestId): ReturnType<RequestObserver> | undefined {
    const observe = parts.requestObserver?.();
    return observe?.(protocolRequest({ ...messageOf(body), jsonrpc: '2.0', id }, STATELESS_VERSION));
  }

  /** Ends a request that takes too long, and remembers it until it is answered. */
  function watch(response: ServerResponse, id: RequestId | null): void {
    const limitMs = requestLimitMs(parts.limits);
    const timer = setTimeout(() => expire(response, failure(id, tookTooLong(limitMs))), limitMs);
    const answered = new Promise<void>((resolve) => response.once('close', resolve));
    running.add(answered);
    void answered.then(() => {
      clearTimeout(timer);
      running.delete(answered);
    });
  }

  return {
    handle,
    /** Answers what is in flight, then ends the streams of those who listen; whose request is read only now is refused. */
    async close(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
      closed = true;
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
    },
  };
}

type RequestAccess = ClientAccess & Required<Pick<Caller, 'onDelivery' | 'reached'>>;

type Serve = (request: Request, body: unknown, access: RequestAccess) => Promise<Response>;

/** A request that may be served, and what is done when its client is gone. */
interface Entered {
  serve: Serve;
  leave(): void;
}

type Endpoint = ReturnType<typeof createEndpoint>;

/** As many streams as the SDK would open by itself. */
const MOST_LISTENERS = 1_024;

function createEndpoint(parts: DoorParts, registry: Registry, onerror: (err: Error) => void) {
  const accesses = new WeakMap<Request, RequestAccess>();
  const listeners = new Set<Listener>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const access = requestInfo && accesses.get(requestInfo);
      if (!access) throw new Error('a request without a access');
      return createProtocolServer({ ...parts, registry }, { ...access, era: 'modern' });
    },
    { legacy: 'reject', onerror, maxRequestBodySize: parts.limits.maxLineBytes },
  );

  return {
    serve(request: Request, body: unknown, access: RequestAccess): Promise<Response> {
      accesses.set(request, access);
      return handler.fetch(request, { parsedBody: body });
    },
    /** Checks what a listen request wants to hear of, and makes what serves it. */
    async listen(body: Record<string, unknown>, access: ClientAccess, response: ServerResponse): Promise<Entered> {
      const uris = listenedUris(isRecord(body.params) ? body.params : {});
      const checked = await checkListened(registry, uris, { principal: access.principal, era: 'modern' });
      if (listeners.size >= MOST_LISTENERS) throw new AppError('BUSY', 'Too many listen here already.');
      const listener = createListener({ ...parts, registry }, { access, checked, response, onerror });
      listeners.add(listener);
      const leave = () => {
        listeners.delete(listener);
        void listener.close();
      };
      return { serve: listener.serve, leave };
    },
    async close(): Promise<void> {
      await Promise.all([...listeners].map((listener) => listener.close()));
      await handler.close();
    },
  };
}

type Listener = ReturnType<typeof createListener>;

interface Listening {
  access: ClientAccess;
  checked: ReadonlyMap<string, Subscription>;
  response: ServerResponse;
  onerror(err: Error): void;
}

/** What serves one listen request; it has a bus of its own, since what one client has missed is no news to another. */
function createListener(parts: DoorParts & { registry: Registry }, { access, checked, response, onerror }: Listening) {
  const { registry, log, limits } = parts;
  const bus = new InMemoryServerEventBus(onerror);
  const subscriptions = createSubscriptions({
    registry,
    principal: access.principal,
    log,
    deliver: async (uri, update) =>
      bus.publish({ kind: 'resource_updated', uri, params: { _meta: updateMeta(update) } }),
    ready: () => drained(response),
  });
  const stopListChanges = registry.onListChanged((list) => bus.publish({ kind: `${list}_list_changed` }));
  const handler = createMcpHandler(() => createProtocolServer(parts, { ...access, era: 'modern' }), {
    legacy: 'reject',
    bus,
    onerror,
    maxRequestBodySize: limits.maxLineBytes,
  });

  return {
    async serve(request: Request, body: unknown): Promise<Response> {
      const answer = await handler.fetch(request, { parsedBody: body });
      // It has been acknowledged in there, so what it is about may follow.
      if (isStream(answer)) for (const [uri, subscription] of checked) subscriptions.add(uri, subscription);
      return answer;
    },
    async close(): Promise<void> {
      stopListChanges();
      subscriptions.close();
      await handler.close();
    },
  };
}

/** Resolves when a response has room, or nobody reads it any more. */
async function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.closed) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}

function isStream(answer: Response): boolean {
  return answer.headers.get('content-type') === 'text/event-stream';
}

function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // Which address it was has been decided already; what a client writes there need not be a URL.
  return new Request('http://localhost/mcp', {
    method: request.method ?? 'POST',
    headers,
    signal,
  });
}

function messageOf({ method, params }: Record<string, unknown>) {
  return { method: String(method), params: isRecord(params) ? params : {} };
}

function failure(id: RequestId | null, error: AppError): object {
  return { jsonrpc: '2.0', id, error: wireError(error, 'modern') };
}

function refusalStatus({ code }: AppError): number {
  if (code === 'BUSY') return 429;
  return code === 'SERVICE_UNAVAILABLE' ? 503 : 400;
}

function expire(response: ServerResponse, message: object): void {
  if (response.headersSent) response.end(`event: message\ndata: ${jsonLine(JSON.stringify(message))}\n\n`);
  else sendJson(response, 200, message);
}

/** Almost every answer stays as it is, and is not even parsed. */
function inOwnWords(json: Buffer): { json: Buffer | string; error?: WireError } {
  if (!json.includes('"error":{')) return { json };
  const message = JSON.parse(json.toString('utf8')) as { error?: WireError };
  if (!message.error) return { json };
  useOwnWords(message.error);
  return { json: JSON.stringify(message), error: message.error };
}

/** Whether the answer was the one that this response was waiting for, and the error if it was one. */
async function relay(answer: Response, response: ServerResponse): Promise<{ isAnswer: boolean; error?: WireError }> {
  if (response.destroyed || response.headersSent) {
    await answer.body?.cancel();
    return { isAnswer: false };
  }
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!isStream(answer)) {
    const { json, error } = inOwnWords(Buffer.from(await answer.arrayBuffer()));
    response.end(json);
    return { isAnswer: true, ...(error ? { error } : {}) };
  }
  response.flushHeaders();
  if (!answer.body) response.end();
  // A client that goes away in the middle is no failure of ours.
  else await pipeline(answer.body, oneLineEach, response).catch(() => {});
  return { isAnswer: true };
}

/** The SDK writes messages as they are. */
async function* oneLineEach(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield jsonLine(decoder.decode(chunk, { stream: true }));
}
