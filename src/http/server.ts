import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, toAppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../lib/log.ts';
import { limitConnections } from './connections.ts';
import { answerPreflight, isPreflight, shareWith } from './cross-origin.ts';
import { checkLocalClient } from './local-client.ts';
import { createOpenRequests, type OpenRequestLimits } from './open-requests.ts';
import { closeWhenRevoked } from './open-responses.ts';
import { createOriginGuard, type GuardSettings, isLoopback } from './origin-guard.ts';
import type { PeerUsers } from './peer-user.ts';
import type { OpenPort } from './port.ts';
import type { Refusal } from './refusals.ts';
import { challenge, sendError, sendJson } from './responses.ts';
import { routingMethod } from './rest.ts';
import type { Auth } from './tokens.ts';

/** Handlers of the routes. They receive authorized requests only. */
export interface HttpHandlers {
  mcp(request: IncomingMessage, response: ServerResponse, principal: Principal, only: readonly string[]): Promise<void>;
  sse(response: ServerResponse, principal: Principal): void;
  messages(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>;
  rest(request: IncomingMessage, response: ServerResponse, url: URL, path: string, principal: Principal): Promise<void>;
  /** Reasons why the server is not ready. Needs no token. */
  ready(): Promise<readonly string[]>;
  /** Metrics in Prometheus format; undefined if they are disabled. */
  metrics(principal: Principal): Promise<string> | undefined;
}

export interface HttpOptions extends GuardSettings {
  auth: Auth;
  /** Without a token, only processes of our own user are served. */
  peers: PeerUsers;
  /** The limits in force. */
  limits(): OpenRequestLimits & { max_connections: number };
  log: Log;
  /** A request was refused before it became a call. */
  onRefused?(refusal: Refusal): void;
}

const API = '/api/v1';
const SHUTTING_DOWN = 'Switchboard is shutting down.';

/** How long closing waits at most while new clients keep connecting. */
const MAX_ACCEPT_MS = 2_000;
/** How long a client that connected before the shutdown may take to send its request. */
const PENDING_REQUEST_MS = 250;
/** How long clients may take to read the last response. */
const SLOW_READER_MS = 1_000;

/** Serves on an open port. */
export async function listenHttp(handlers: HttpHandlers, port: OpenPort, options: HttpOptions) {
  const { auth, host, log, peers, onRefused } = options;
  const { server } = port;
  if (!isLoopback(host) && !(await auth.required())) {
    throw new AppError(
      'VALIDATION_ERROR',
      `Refusing to listen on ${host} without a token, because any machine on the network could connect.`,
      {
        field: 'host',
        hint: 'Set auth.token (or --token), or listen on 127.0.0.1.',
      },
    );
  }
  const guard = createOriginGuard(options);
  const connections = limitConnections(server, () => options.limits().max_connections);
  connections.closeWhenStalled(port.connectTimeoutMs);
  const openRequests = createOpenRequests(options.limits);
  let closing = false;
  let unfinished = 0;
  /** Number of connections and requests so far. */
  let arrivals = 0;

  server.on('connection', () => {
    arrivals += 1;
  });
  port.serve((request, response) => {
    arrivals += 1;
    unfinished += 1;
    // A listener for each would cost more than what they do.
    const leaves = [connections.arrived(request)];
    response.once('close', () => {
      for (const leave of leaves) leave();
      unfinished -= 1;
      // A keep-alive connection counts as idle only after its response is complete.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    handle(request, response, leaves)
      .catch((thrown: unknown) => answerFailure(request, response, thrown))
      .catch((err: unknown) => {
        log.error({ err }, 'an error could not be answered');
        response.destroy();
      });
  });

  function answerFailure(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
    if (isClientAbort(request, thrown)) return;
    const error = toAppError(thrown);
    if (error.code === 'INTERNAL') log.error({ err: error.cause ?? error }, 'a request failed');
    sendError(response, error);
    if (!response.writableEnded) response.destroy();
  }

  /**
   * Closing the port would reset connections that the kernel has accepted but Node has not seen. This accepts them
   * first.
   */
  async function acceptPendingConnections(): Promise<void> {
    const deadline = performance.now() + MAX_ACCEPT_MS;
    for (let quietTurns = 0; quietTurns < 3 && performance.now() < deadline; quietTurns += 1) {
      const before = arrivals;
      await nextTurn();
      if (arrivals > before) quietTurns = 0;
    }
  }

  /** `leaves` are called when the response is closed. */
  async function handle(request: IncomingMessage, response: ServerResponse, leaves: (() => void)[]): Promise<void> {
    const verdict = guard(request);
    if (verdict.kind === 'refused') {
      onRefused?.('header');
      throw refusedHeader(verdict.header);
    }
    if (verdict.kind === 'named') {
      shareWith(verdict.origin, response);
      if (isPreflight(request)) return answerPreflight(response);
    }
    const url = urlOf(request);
    if (!url) throw new AppError('VALIDATION_ERROR', 'The request URL is invalid.');
    const path = url.pathname;
    if (path === '/healthz') return sendJson(response, 200, { status: 'ok' });
    if (path === '/readyz') return sendReadiness(response, closing ? [SHUTTING_DOWN] : await handlers.ready());
    if (closing) throw new AppError('SERVICE_UNAVAILABLE', SHUTTING_DOWN);
    // A client without a token takes any other answer for an authorization server.
    if (isDiscovery(path)) throw notFound();

    const admitting = auth.admit(request.headers.authorization);
    const admission = admitting instanceof Promise ? await admitting : admitting;
    if (admission.kind === 'refused') {
      onRefused?.(`${admission.reason} token`);
      return challenge(response, admission.reason);
    }
    const { principal } = admission;
    if (principal.kind === 'local') {
      try {
        const checking = checkLocalClient(request, peers);
        if (checking) await checking;
      } catch (thrown) {
        onRefused?.('other user');
        throw thrown;
      }
    }
    connections.admitted(request);
    if (!response.closed) {
      leaves.push(openRequests.enter(request, response, path, principal));
      leaves.push(closeWhenRevoked(principal, response));
    }
    if (path === '/mcp') return handlers.mcp(request, response, principal, []);
    if (path.startsWith('/mcp/'))
      return handlers.mcp(request, response, principal, namesIn(path.slice('/mcp/'.length)));
    if (path === '/sse' && request.method === 'GET') return handlers.sse(response, principal);
    if (path === '/messages' && request.method === 'POST') return handlers.messages(request, response, principal);
    if (path === '/metrics' && routingMethod(request) === 'GET')
      return sendMetrics(response, handlers.metrics(principal));
    if (path.startsWith(`${API}/`)) return handlers.rest(request, response, url, path.slice(API.length), principal);
    throw notFound();
  }

  return {
    url: port.url,
    /** Accepts no new request. `drained` ends streams and resolves when running requests are answered. */
    async close(drained: () => Promise<void>): Promise<void> {
      await acceptPendingConnections();
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await drained();
      server.closeIdleConnections();
      const timer = setTimeout(
        () => server.closeAllConnections(),
        unfinished > 0 ? SLOW_READER_MS : PENDING_REQUEST_MS,
      );
      await closed;
      clearTimeout(timer);
    },
  };
}

const MCP_URL = new URL('http://localhost/mcp');

/** Most requests have the same one. */
function urlOf({ url = '/' }: IncomingMessage): URL | null {
  return url === MCP_URL.pathname ? MCP_URL : URL.parse(url, 'http://localhost');
}

/** Where clients look for an authorization server. There is none: tokens are made by `token add`. */
function isDiscovery(path: string): boolean {
  return path.startsWith('/.well-known/') || DISCOVERED.has(path);
}

const DISCOVERED: ReadonlySet<string> = new Set(['/register', '/authorize', '/token']);

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'Not found.', { hint: 'MCP is at /mcp, REST below /api/v1.' });
}

function refusedHeader(header: string): AppError {
  return new AppError('FORBIDDEN', `The ${header} header of this request is not allowed.`, {
    hint:
      header === 'Host'
        ? 'Use the address that this server listens on, or add the name to mcp.allowed_hosts.'
        : 'Pages of other origins are refused, those of other ports too. Add the origin to mcp.allowed_origins.',
  });
}

function sendReadiness(response: ServerResponse, reasons: readonly string[]): void {
  if (reasons.length === 0) sendJson(response, 200, { status: 'ready' });
  else sendJson(response, 503, { status: 'not ready', reasons }, { 'retry-after': '1' });
}

async function sendMetrics(response: ServerResponse, metrics: Promise<string> | undefined): Promise<void> {
  if (!metrics) throw new AppError('NOT_FOUND', 'Metrics are disabled.', { hint: 'Set telemetry.metrics.' });
  const text = await metrics;
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  if (!response.destroyed) response.writeHead(200, headers).end(text);
}

function namesIn(list: string): string[] {
  return [...new Set(list.split(','))];
}

/** The client closed the connection while sending its request: nothing failed here, and there is no one to answer. */
function isClientAbort(request: IncomingMessage, thrown: unknown): boolean {
  return !request.complete && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
}
