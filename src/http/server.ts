import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, toAppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../lib/log.ts';
import { answer, answerError, challenge } from './answers.ts';
import { createOpenAnswers } from './open-answers.ts';
import { createOriginGuard, type GuardSettings, isLoopback } from './origin-guard.ts';
import type { OpenPort } from './port.ts';
import { readingMethod } from './rest.ts';
import type { Auth } from './tokens.ts';

/** What is behind the door. Each gets only requests of principals that may come in. */
export interface Rooms {
  mcp(request: IncomingMessage, response: ServerResponse, principal: Principal, only: readonly string[]): Promise<void>;
  sse(response: ServerResponse, principal: Principal): void;
  messages(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>;
  rest(request: IncomingMessage, response: ServerResponse, url: URL, path: string, principal: Principal): Promise<void>;
  /** Why nobody should be sent here just now; asked by anybody. */
  ready(): Promise<readonly string[]>;
  /** What Prometheus reads; undefined where it is not served. */
  metrics(principal: Principal): Promise<string> | undefined;
}

export interface HttpOptions extends GuardSettings {
  auth: Auth;
  log: Log;
}

const API = '/api/v1';
const SHUTTING_DOWN = 'Switchboard is shutting down.';

/** How long the door stays open at the end while new clients keep coming in. */
const LAST_CALL_MS = 2_000;
/** How long clients who opened a connection before the end may take to send their request. */
const LAST_WORDS_MS = 250;
/** How long they may take to read the last answer. */
const SLOW_READER_MS = 1_000;

/** Serves on a port that is open already. */
export async function listenHttp(rooms: Rooms, port: OpenPort, options: HttpOptions) {
  const { auth, host, log } = options;
  const { server } = port;
  if (!isLoopback(host) && !(await auth.required())) {
    throw new AppError('VALIDATION_ERROR', `Refusing to listen on ${host} without a token: anybody could come in.`, {
      field: 'host',
      hint: 'Set auth.token (or --token), or listen on 127.0.0.1.',
    });
  }
  const guard = createOriginGuard(options);
  const answers = createOpenAnswers();
  let closing = false;
  let unfinished = 0;
  /** Connections and requests so far. */
  let arrivals = 0;

  server.on('connection', () => {
    arrivals += 1;
  });
  port.serve((request, response) => {
    arrivals += 1;
    unfinished += 1;
    response.once('close', () => {
      unfinished -= 1;
      // A connection that is kept alive counts as idle only once its answer is through.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    handle(request, response).catch((thrown: unknown) => {
      if (leftEarly(request, thrown)) return;
      const error = toAppError(thrown);
      if (error.code === 'INTERNAL') log.error({ err: error.cause ?? error }, 'a request failed');
      answerError(response, error);
      if (!response.writableEnded) response.destroy();
    });
  });

  /** Closing the port would cut off clients who knocked before, and have not been seen yet: they come in first. */
  async function everybodyInside(): Promise<void> {
    const latest = performance.now() + LAST_CALL_MS;
    for (let quiet = 0; quiet < 3 && performance.now() < latest; quiet += 1) {
      const before = arrivals;
      await nextTurn();
      if (arrivals > before) quiet = 0;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = guard(request);
    if (stranger) throw new AppError('FORBIDDEN', `The ${stranger} of this request is not one that may come here.`);
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (!url) throw new AppError('VALIDATION_ERROR', 'The address of this request is none.');
    const path = url.pathname;
    if (path === '/healthz') return answer(response, 200, { status: 'ok' });
    if (path === '/readyz') return answerReadiness(response, closing ? [SHUTTING_DOWN] : await rooms.ready());
    if (closing) throw new AppError('SERVICE_UNAVAILABLE', SHUTTING_DOWN);

    const admission = await auth.admit(request.headers.authorization);
    if (admission.kind === 'refused') return challenge(response, admission.reason);
    const { principal } = admission;
    answers.add(principal, response);
    if (path === '/mcp') return rooms.mcp(request, response, principal, []);
    if (path.startsWith('/mcp/')) return rooms.mcp(request, response, principal, namesIn(path.slice('/mcp/'.length)));
    if (path === '/sse' && request.method === 'GET') return rooms.sse(response, principal);
    if (path === '/messages' && request.method === 'POST') return rooms.messages(request, response, principal);
    if (path === '/metrics' && readingMethod(request) === 'GET')
      return answerMetrics(response, rooms.metrics(principal));
    if (path.startsWith(`${API}/`)) return rooms.rest(request, response, url, path.slice(API.length), principal);
    throw new AppError('NOT_FOUND', 'There is nothing at this address.', {
      hint: 'MCP is at /mcp, REST below /api/v1.',
    });
  }

  return {
    url: port.url,
    /** Ends the streams of a token that is not good any more. */
    cutOff: answers.cutOff,
    /** Takes no new request; `drained` ends streams and resolves when what runs has been answered. */
    async close(drained: () => Promise<void>): Promise<void> {
      await everybodyInside();
      closing = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await drained();
      server.closeIdleConnections();
      const patience = setTimeout(() => server.closeAllConnections(), unfinished > 0 ? SLOW_READER_MS : LAST_WORDS_MS);
      await closed;
      clearTimeout(patience);
    },
  };
}

function answerReadiness(response: ServerResponse, reasons: readonly string[]): void {
  if (reasons.length === 0) answer(response, 200, { status: 'ready' });
  else answer(response, 503, { status: 'not ready', reasons }, { 'retry-after': '1' });
}

async function answerMetrics(response: ServerResponse, metrics: Promise<string> | undefined): Promise<void> {
  if (!metrics) throw new AppError('NOT_FOUND', 'Metrics are switched off here.', { hint: 'Set telemetry.metrics.' });
  const text = await metrics;
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' };
  if (!response.destroyed) response.writeHead(200, headers).end(text);
}

function namesIn(list: string): string[] {
  return [...new Set(list.split(','))];
}

/** A client that goes away in the middle of its request is no failure of ours, and nobody is there to be told. */
function leftEarly(request: IncomingMessage, thrown: unknown): boolean {
  return !request.complete && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
}
