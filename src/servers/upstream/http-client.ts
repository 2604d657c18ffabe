import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connectionFailure } from './http-failures.ts';
import { discard } from './response-body.ts';
import { UpstreamFailure } from './upstream.ts';

export interface RemoteOptions {
  url: string;
  /** Headers of the configuration and credentials; called for each request, since tokens change. */
  headers?(): Promise<Readonly<Record<string, string>>>;
  /** The server wants other credentials. True if there are now, and the request can be repeated. */
  onUnauthorized?(challenge: string | undefined): Promise<boolean>;
  /** A larger message of the server is skipped. */
  maxMessageBytes?: number;
}

export interface HttpExchange {
  method: 'POST' | 'GET' | 'DELETE';
  headers: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
  /** Default: the address of the server. */
  url?: URL;
}

type Headers = Readonly<Record<string, string>> | undefined;

export type HttpClient = ReturnType<typeof createHttpClient>;

const CONNECT_MS = 30_000;
/** Shorter than servers keep connections, so that a request is rarely sent into one that is being closed. */
const IDLE_MS = 4_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 307, 308];

/** Requests to one server over kept connections. */
export function createHttpClient({ url: address, headers, onUnauthorized }: RemoteOptions) {
  const base = new URL(address);
  const isTls = base.protocol === 'https:';
  const request = isTls ? httpsRequest : httpRequest;
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, timeout: IDLE_MS });
  /** Permanent redirects, by path. */
  let moved: { from: string; to: URL } | undefined;
  let renewal: Promise<boolean> | undefined;

  /** The answer, whatever its status, except where credentials are missing. Its body must be read or destroyed. */
  async function exchange(wanted: HttpExchange): Promise<IncomingMessage> {
    const used = await headers?.();
    const response = await followed(wanted, used);
    if (!isRefused(response)) return response;
    const challenge = response.headers['www-authenticate'];
    discard(response);
    // Another request may have renewed them in the meantime.
    const hasOthers = JSON.stringify(await headers?.()) !== JSON.stringify(used);
    if (hasOthers || (await renewed(challenge))) {
      const second = await followed(wanted, await headers?.());
      if (!isRefused(second)) return second;
      discard(second);
    }
    throw new UpstreamFailure('unauthorized', 'The server does not accept the credentials, or wants some.', {
      status: response.statusCode ?? 0,
      ...(challenge === undefined ? {} : { challenge }),
    });
  }

  /** Requests that are refused at the same time need one renewal. */
  function renewed(challenge: string | undefined): Promise<boolean> {
    renewal ??= (onUnauthorized?.(challenge) ?? Promise.resolve(false)).finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function followed(wanted: HttpExchange, configured: Headers): Promise<IncomingMessage> {
    let url = wanted.url ?? base;
    if (moved?.from === url.href) url = moved.to;
    for (let redirects = 0; ; redirects++) {
      const response = await sent(url, wanted, configured);
      const { statusCode = 0, headers: received } = response;
      if (!REDIRECTS.includes(statusCode) || received.location === undefined) return response;
      discard(response);
      const target = URL.canParse(received.location, url.href) ? new URL(received.location, url) : undefined;
      if (target?.origin !== base.origin) throw redirectFailure(statusCode);
      if (redirects === MAX_REDIRECTS) {
        throw new UpstreamFailure('protocol', 'The server redirects again and again.', { status: statusCode });
      }
      if (statusCode === 308 || statusCode === 301) moved = { from: url.href, to: target };
      url = target;
    }
  }

  function sent(url: URL, exchanged: HttpExchange, configured: Headers): Promise<IncomingMessage> {
    const { method, headers: own, body, signal } = exchanged;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    let isConnected = false;
    const fail = (error: unknown) => reject(connectionFailure(error, { host: url.host, isConnected, signal }));
    try {
      const outgoing = request(url, {
        method,
        agent,
        headers: {
          ...configured,
          ...own,
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        },
      });
      // Node's own option for signals is slower.
      const onAbort = () => outgoing.destroy();
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      outgoing.once('close', () => signal.removeEventListener('abort', onAbort));
      outgoing.once('socket', (socket) => {
        isConnected = !socket.connecting;
        if (isConnected) return;
        const timer = setTimeout(() => outgoing.destroy(timedOut()), CONNECT_MS);
        socket.once('close', () => clearTimeout(timer));
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          isConnected = true;
          clearTimeout(timer);
        });
      });
      outgoing.once('response', resolve).on('error', fail);
      outgoing.end(body);
    } catch (error) {
      fail(error);
    }
    return promise;
  }

  return {
    base,
    exchange,
    close: () => agent.destroy(),
  };
}

function isRefused({ statusCode }: IncomingMessage): boolean {
  return statusCode === 401 || statusCode === 403;
}

function timedOut(): NodeJS.ErrnoException {
  return Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' });
}

/** Its credentials are for the configured server only. */
function redirectFailure(status: number): UpstreamFailure {
  return new UpstreamFailure('protocol', 'The server redirects to another host, which may not get its credentials.', {
    status,
  });
}
