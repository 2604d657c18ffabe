import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Why nothing was received. */
export class RedirectFailure extends Error {
  override readonly name = 'RedirectFailure';
  readonly reason: 'port' | 'timeout' | 'cancelled';

  constructor(reason: RedirectFailure['reason'], cause?: unknown) {
    super(`No redirect: ${reason}.`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

interface Awaited {
  /** `http://127.0.0.1` or `http://localhost`, with or without a port and a path. */
  redirectUri: string;
  state: string;
  signal: AbortSignal;
  timeoutMs: number;
}

export interface RedirectListener {
  /** With the port that was chosen. */
  redirectUri: string;
  /** The parameters of the redirect with the right state; the listener is closed then. Fails with a RedirectFailure. */
  answer: Promise<URLSearchParams>;
}

/**
 * Waits for the browser on this machine to be sent back. Any process and any web page may send requests here, so all but the
 * one with the right state are answered and otherwise ignored.
 */
export async function listenForRedirect({ redirectUri, state, signal, timeoutMs }: Awaited): Promise<RedirectListener> {
  const wanted = new URL(redirectUri);
  const server = createServer({ maxHeaderSize: 32_768, requestTimeout: 10_000, headersTimeout: 10_000 });
  server.maxConnections = 50;
  const port = await listen(server, Number(wanted.port));
  const host = `${wanted.hostname}:${port}`;
  const answer = Promise.withResolvers<URLSearchParams>();

  server.on('request', (request, response) => {
    const parameters = redirectIn(request, host, wanted.pathname);
    if (!parameters || !isSame(parameters.get('state') ?? '', state))
      return reply(response, 404, 'There is nothing here.');
    answer.resolve(parameters);
    reply(response, 200, parameters.has('error') ? REFUSED : RECEIVED);
  });
  const end = (reason: RedirectFailure['reason']) => answer.reject(new RedirectFailure(reason));
  const expiry = setTimeout(end, timeoutMs, 'timeout');
  const cancel = () => end('cancelled');
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const closing = answer.promise.finally(() => {
    clearTimeout(expiry);
    signal.removeEventListener('abort', cancel);
    // What is being answered is completed; connections without a request do not delay it.
    server.close();
    server.closeIdleConnections();
  });
  closing.catch(() => {});

  // Registered URIs without a port and a path are compared without the final slash.
  const path = redirectUri.endsWith('/') || wanted.pathname !== '/' ? wanted.pathname : '';
  return { redirectUri: `http://${host}${path}`, answer: closing };
}

const RECEIVED = 'Switchboard has received the answer. You can close this page.';
const REFUSED = 'The sign-in was not completed. You can close this page and try again.';

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw new RedirectFailure('port', error);
  }
}

/** The `Host` is compared because a web page can reach this machine by a name of its own. */
function redirectIn(
  { method, url = '', headers }: IncomingMessage,
  host: string,
  path: string,
): URLSearchParams | undefined {
  if (method !== 'GET' || headers.host !== host || !url.startsWith('/')) return undefined;
  const { pathname, searchParams } = new URL(`http://${host}${url}`);
  return pathname === path ? searchParams : undefined;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function reply(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(`<!doctype html><html lang="en"><title>Switchboard</title><p>${text}</p></html>\n`);
}
