import type { IncomingMessage, ServerResponse } from 'node:http';

/** What pages of named origins may send and read. */
const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
].join(', ');
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const EXPOSED_HEADERS = 'mcp-session-id, www-authenticate, retry-after, allow';
const PREFLIGHT_SECONDS = '600';

/** Lets a page of this origin read the answer. */
export function shareWith(origin: string, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  response.setHeader('vary', 'origin');
}

/** A browser asks whether a page may send a request. It sends no token with it, so that none can be required. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

export function answerPreflight(response: ServerResponse): void {
  response
    .writeHead(204, {
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-allow-private-network': 'true',
      'access-control-max-age': PREFLIGHT_SECONDS,
    })
    .end();
}
