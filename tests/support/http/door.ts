import { type IncomingHttpHeaders, request } from 'node:http';
import type { TestContext } from 'node:test';
import type { PeerUsers } from '../../../src/http/peer-user.ts';
import { openPort, type PortOptions } from '../../../src/http/port.ts';
import { type HttpHandlers, type HttpOptions, listenHttp } from '../../../src/http/server.ts';
import { createAuth } from '../../../src/http/tokens.ts';
import { silentLog } from '../operation-context.ts';

const EMPTY: HttpHandlers = {
  mcp: async (_request, response) => void response.end('mcp'),
  sse: (response) => void response.end('sse'),
  messages: async (_request, response) => void response.end('messages'),
  rest: async (_request, response) => void response.end('rest'),
  ready: async () => [],
  metrics: () => undefined,
};

/** All clients are processes of our own user. */
export const OWN_USER: PeerUsers = { canTell: true, isOwn: async () => true };

export const HTTP_LIMITS = {
  max_concurrent_total: 1_000,
  max_concurrent_per_token: 200,
  max_streams: 1_000,
  max_streams_per_token: 100,
  max_connections: 2_000,
};

/** An HTTP server on a free port with these routes; it is closed when the test ends. */
export async function openHttpDoor(
  context: TestContext,
  handlers: Partial<HttpHandlers> = {},
  options: Partial<HttpOptions & PortOptions> = {},
  drained: () => Promise<void> = async () => {},
) {
  const settings = {
    host: '127.0.0.1',
    port: 0,
    auth: createAuth({ tokens: [], localScopes: [] }),
    peers: OWN_USER,
    limits: () => HTTP_LIMITS,
    allowedHosts: [],
    allowedOrigins: [],
    connectTimeoutMs: 30_000,
    log: silentLog,
    ...options,
  };
  const port = await openPort(settings);
  context.after(port.close);
  const door = await listenHttp({ ...EMPTY, ...handlers }, port, settings);
  context.after(() => door.close(drained));
  return door;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A request with exactly this path and these headers, which `fetch` would normalize. */
export function rawRequest(
  url: string,
  { method = 'GET', path = '/', headers = {}, body, beginningOnly = false }: RawRequest = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request({ hostname, port, method, path, headers: { ...length, ...headers } }, (response) => {
      let text = '';
      const done = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (!beginningOnly || !response.headers['content-type']?.startsWith('text/event-stream')) return;
        done();
        response.destroy();
      });
      response.once('end', done);
      response.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

interface RawRequest {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Of an event stream, which need not end, only the first part is read. */
  beginningOnly?: boolean;
}
