import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface HttpFixture {
  url: string;
  server: Server;
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A server on a free port of this machine, or on the one given. */
export async function serveHttp(handler: Handler, port = 0): Promise<HttpFixture> {
  const server = createServer((request, response) => {
    Promise.resolve(handler(request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    server,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves handlers that take a Request and return a Response, as those of the SDK do. */
export function fromWeb(fetch: (request: Request) => Promise<Response>): Handler {
  return async (request, response) => {
    const stop = new AbortController();
    response.once('close', () => stop.abort());
    const answer = await fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        signal: stop.signal,
        ...(request.method === 'POST' ? { body: await bodyOf(request) } : {}),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    if (!answer.body) response.end();
    else await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => {});
  };
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return body;
}
