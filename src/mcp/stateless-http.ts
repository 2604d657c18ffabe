import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AppError, toAppError } from '../domain/errors.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import { isRecord } from '../lib/is-record.ts';
import { jsonLine } from '../lib/json-line.ts';
import { responseWritten } from '../lib/response-written.ts';
import type { Settle } from '../operation.ts';
import type { ClientAccess, DoorParts } from './connection.ts';
import { isRequestId } from './envelope.ts';
import { wireError } from './errors.ts';
import { sendJson } from './http-answers.ts';
import { type Gate, requestLimitMs, shuttingDown, tookTooLong } from './limits.ts';
import { failureOf, protocolRequest } from './observed-request.ts';
import { checkParams } from './params.ts';
import type { Registry } from './registry.ts';
import { answerCall, type StatelessCall, statelessCall } from './stateless-call.ts';
import type { Endpoint, Entered, RequestAccess } from './stateless-endpoint.ts';
import { answerList, clientIn, type StatelessList, statelessList } from './stateless-list.ts';
import { type Running, statelessRequest } from './stateless-request.ts';
import { STATELESS_VERSION } from './versions.ts';
import { relay, toWebRequest } from './web-messages.ts';

const LISTEN = 'subscriptions/listen';
const MAX_CLIENT_NAME = 100;

/** What follows a request that may not become a call. */
interface Observation {
  end(failure?: string): void;
  becameCall(): void;
}

/** Answered without the SDK. */
export type DirectRequest = { call: StatelessCall } | { list: StatelessList };

/**
 * 2026-07-28 on HTTP: requests are independent, so the SDK creates a server for each; it checks the headers, too. It is
 * loaded with the first request that needs it.
 */
export function createStatelessHandler(parts: DoorParts) {
  const endpoints = new Map<Registry, Promise<Endpoint>>();
  const gates = new Map<string, Gate>();
  const running = new Set<Promise<void>>();
  const log = parts.log.child({ component: 'mcp', transport: 'http' });
  let closed = false;

  function endpointOf({ registry }: ClientAccess): Promise<Endpoint> {
    const known = endpoints.get(registry);
    if (known) return known;
    const made = open(registry);
    endpoints.set(registry, made);
    made.catch(() => endpoints.delete(registry));
    return made;
  }

  async function open(registry: Registry): Promise<Endpoint> {
    const { createEndpoint } = await import('./stateless-endpoint.ts');
    return createEndpoint(parts, registry, (err) => log.debug({ err }, 'the MCP SDK reports an error'));
  }

  /** Without sessions, requests are limited per principal instead of per connection. */
  function gateOf({ principal }: ClientAccess): Gate {
    const known = gates.get(principal.identity) ?? parts.gates.createGate(principal);
    gates.set(principal.identity, known);
    return known;
  }

  /** A client is known by its rights and the name that it gives itself. */
  function noteClient(body: unknown, { principal }: ClientAccess): void {
    const params = isRecord(body) && isRecord(body.params) ? body.params : {};
    const name = clientIn(isRecord(params._meta) ? params._meta : {}) ?? '';
    parts.running?.requested(`${principal.identity} ${name.slice(0, MAX_CLIENT_NAME)}`);
  }

  async function handle(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    access: ClientAccess,
  ): Promise<void> {
    const id = isRecord(body) && isRequestId(body.id) ? body.id : null;
    const listens = isRecord(body) && body.method === LISTEN;
    const observation = observe(body, listens ? null : id);
    noteClient(body, access);
    const disconnected = new AbortController();
    response.once('close', () => response.writableFinished || disconnected.abort());
    let entered: Entered;
    try {
      entered = await enter(body, access, response);
      if (response.closed) return entered.leave();
      response.once('close', entered.leave);
      if (closed) throw shuttingDown();
    } catch (thrown) {
      const error = toAppError(thrown);
      observation.end(error.code);
      return sendJson(response, refusalStatus(error), failure(id, error));
    }
    const stopTimeout = listens ? () => {} : watch(response, id);
    const serve = (calls: Pick<RequestAccess, 'onDelivery'>) =>
      entered.serve(toWebRequest(request, disconnected.signal), body, {
        ...access,
        ...calls,
        becameCall: observation.becameCall,
        waitsForUser: stopTimeout,
      });
    await answer(response, serve, observation);
  }

  /** Undefined where the SDK has to answer. */
  function directly(body: unknown, request: IncomingMessage, access: ClientAccess): DirectRequest | undefined {
    const checked = statelessRequest(body, request);
    if (!checked) return undefined;
    noteClient(body, access);
    const call = statelessCall(checked, request, access);
    if (call) return { call };
    const list = statelessList(checked, request, access);
    return list && { list };
  }

  async function handleDirectly(direct: DirectRequest, request: Running): Promise<void> {
    const { response, access } = request;
    let leave: () => void;
    try {
      if (closed) throw shuttingDown();
      leave = gateOf(access).enter();
    } catch (thrown) {
      const error = toAppError(thrown);
      const { id } = 'call' in direct ? direct.call : direct.list;
      return sendJson(response, refusalStatus(error), failure(id, error));
    }
    if ('call' in direct) return call(direct.call, request, leave);
    const { list } = direct;
    const observation = observe(list, list.id);
    response.once('close', leave);
    observation.end(answerList(parts, list, request));
  }

  async function call(direct: StatelessCall, request: Running, leave: () => void): Promise<void> {
    const { response } = request;
    const cancelled = new AbortController();
    const answered = answerCall(parts, direct, request, cancelled);
    running.add(answered);
    response.once('close', () => {
      leave();
      if (!response.writableFinished) cancelled.abort();
    });
    await answered.finally(() => running.delete(answered));
  }

  /** Throws where the request cannot be served. */
  async function enter(body: unknown, access: ClientAccess, response: ServerResponse): Promise<Entered> {
    const endpoint = await endpointOf(access);
    if (isRecord(body)) checkParams(messageOf(body), 'modern');
    if (isRecord(body) && body.method === LISTEN) return endpoint.listen(body, access, response);
    return { leave: gateOf(access).enter(), serve: endpoint.serve };
  }

  /** Writes what the SDK answers, and reports to the call whether that was delivered. */
  async function answer(
    response: ServerResponse,
    serve: (calls: Pick<RequestAccess, 'onDelivery'>) => Promise<Response>,
    observation: Observation,
  ): Promise<void> {
    const waiting: Settle[] = [];
    let delivered = false;
    try {
      const relayed = await relay(await serve({ onDelivery: (_, settle) => void waiting.push(settle) }), response);
      observation.end(relayed.error && failureOf(relayed.error));
      delivered = relayed.isAnswer && waiting.length > 0 && (await responseWritten(response));
    } finally {
      for (const settle of waiting) settle(delivered);
    }
  }

  /** Observes a request until it has become a call, which is observed by itself. */
  function observe(body: unknown, id: RequestId | null): Observation {
    const message = id !== null && isRecord(body) ? { ...messageOf(body), jsonrpc: '2.0' as const, id } : undefined;
    let ended = message && parts.requestObserver?.()?.(protocolRequest(message, STATELESS_VERSION));
    return {
      end: (failed) => ended?.(failed),
      becameCall() {
        ended = undefined;
      },
    };
  }

  /** Ends a request that takes too long, unless what is returned is called. `close` waits for it until then. */
  function watch(response: ServerResponse, id: RequestId | null): () => void {
    const limitMs = requestLimitMs(parts.limits);
    const timer = setTimeout(() => expire(response, failure(id, tookTooLong(limitMs))), limitMs);
    const answered = new Promise<void>((resolve) => response.once('close', resolve));
    running.add(answered);
    void answered.then(() => {
      clearTimeout(timer);
      running.delete(answered);
    });
    return () => clearTimeout(timer);
  }

  return {
    directly,
    handleDirectly,
    handle,
    /** Answers the running requests, then ends the streams of listen requests; later requests are refused. */
    async close(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
      closed = true;
      await Promise.all([...endpoints.values()].map(async (endpoint) => (await endpoint).close()));
    },
  };
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
