import { setTimeout as wait } from 'node:timers/promises';
import { withDeadline } from '../../lib/deadline.ts';
import { connectionFailureIn } from '../connection-failure.ts';
import type { HttpClient, HttpResponse } from '../http-client.ts';
import { wholeContent } from '../limited-content.ts';
import { NotMatrix, readRefusal } from './schema.ts';

/** An error response of the homeserver; its own text is the cause. */
export class HomeserverError extends Error {
  override readonly name = 'HomeserverError';
  readonly status: number;
  /** The Matrix error code, such as `M_FORBIDDEN`. */
  readonly code: string;
  /** Whether the homeserver itself answered: a proxy in front of it, or another server, gives no code. */
  readonly isOwn: boolean;

  constructor(status: number, code: string | undefined, said: string | undefined) {
    super(`The homeserver answered with status ${status}.`, { cause: `${code}: ${said ?? ''}` });
    this.status = status;
    this.code = code ?? 'M_UNKNOWN';
    this.isOwn = code !== undefined;
  }
}

/** The request certainly did not reach the homeserver. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

export interface MatrixRequest {
  method?: 'GET' | 'POST' | 'PUT';
  /** Path segments below `/_matrix/client/v3`; they may contain any characters. */
  path: readonly string[];
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  token?: string;
  signal?: AbortSignal;
  limitMs?: number;
}

interface Exchange {
  response: HttpResponse;
  answer: unknown;
}

export type MatrixClient = (ask: MatrixRequest) => Promise<unknown>;

/** As the settings are called. */
export const SETTING_NAMES = { address: '`homeserver`', encryption: 'whether `homeserver` begins with `http://`' };

const USUAL_LIMIT_MS = 60_000;
/** Maximum size of a response; an initial sync of thousands of rooms is smaller. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_TRIES = 5;
/** Longest rate limit to wait for; with a longer one the request fails and is retried with the next connection. */
const MAX_WAIT_MS = 60_000;
const USUAL_WAIT_MS = 1_000;

/** Sends requests to a homeserver and waits when it is rate-limited. */
export function createClient(homeserver: string, http: HttpClient): MatrixClient {
  const base = apiAddress(homeserver);
  return async (ask) => {
    for (let tries = 1; ; tries += 1) {
      const { response, answer } = await exchange(http, addressOf(base, ask), ask);
      if (isOk(response)) return answer;
      const { errcode, error, retry_after_ms: retryAfter } = readRefusal(answer);
      const pause = response.status === 429 ? pauseOf(response, retryAfter) : undefined;
      if (pause === undefined || pause > MAX_WAIT_MS || tries >= MAX_TRIES) {
        throw new HomeserverError(response.status, errcode, error);
      }
      await wait(pause, undefined, ask.signal && { signal: ask.signal });
    }
  };
}

async function exchange(http: HttpClient, address: string, ask: MatrixRequest): Promise<Exchange> {
  const tooLate = (why: 'timeout' | 'cancelled') =>
    new Error(why === 'timeout' ? 'The homeserver did not answer in time.' : 'The request was given up.');
  return withDeadline(ask.limitMs ?? USUAL_LIMIT_MS, ask.signal, tooLate, (signal) =>
    exchangeUntil(signal, http, address, ask).catch((error: unknown) => {
      throw isNetworkError(error) ? lost(error) : error;
    }),
  );
}

async function exchangeUntil(
  signal: AbortSignal,
  http: HttpClient,
  address: string,
  { method = 'GET', body, token }: MatrixRequest,
): Promise<Exchange> {
  const response = await http.request(address, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  });
  return { response, answer: await read(response) };
}

async function read(response: HttpResponse): Promise<unknown> {
  const content = await wholeContent(response.body, MAX_BYTES);
  try {
    return JSON.parse(content.toString('utf8'));
  } catch (error) {
    // A proxy in front of the homeserver answers with its own error texts.
    if (!isOk(response)) return undefined;
    throw new NotMatrix('The homeserver answered with something that is not JSON.', { cause: error });
  }
}

function addressOf(base: string, { path, query = {} }: MatrixRequest): string {
  // `.` and `..` as path segments would change the path in any encoding.
  if (path.some((part) => part === '' || part === '.' || part === '..')) throw new Error('No address has such a part.');
  const parts = path.map((part) => encodeURIComponent(part.toWellFormed()));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  return `${base}/${parts.join('/')}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

function apiAddress(homeserver: string): string {
  const { origin, pathname } = new URL(homeserver);
  return `${origin}${pathname.replace(/\/+$/, '')}/_matrix/client/v3`;
}

/** `retry_after_ms` is the older form and more exact. */
function pauseOf(response: HttpResponse, retryAfterMs: number | undefined): number {
  const seconds = Number(response.header('retry-after') ?? Number.NaN);
  const pause = retryAfterMs ?? (Number.isFinite(seconds) ? seconds * 1_000 : USUAL_WAIT_MS);
  return Math.max(pause, 0);
}

export function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

const NEVER_ARRIVED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Errors of sockets, TLS and the HTTP parser have a code. */
function isNetworkError(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error && error.name !== 'AbortError' && typeof (error as { code?: unknown }).code === 'string'
  );
}

function lost(error: Error & { code: string }): Error {
  const failure = connectionFailureIn(error, SETTING_NAMES);
  const isSure = NEVER_ARRIVED.has(error.code) || failure?.isTemporary === false;
  const Kind = isSure ? Unreachable : Error;
  return new Kind(failure?.reason ?? 'The homeserver cannot be reached.', { cause: error });
}
