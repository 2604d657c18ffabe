import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Loopback {
  origin: string;
  close(): Promise<void>;
}

/** What an endpoint does wrong. */
export type HttpFault =
  | { kind: 'status'; status: number }
  | { kind: 'redirect'; to: string }
  | { kind: 'text'; text: string; type?: string }
  | { kind: 'hang' };

type Answer = (request: IncomingMessage, body: string, url: URL, response: ServerResponse) => unknown;

/** An HTTP server on a free port of loopback. */
export async function startLoopback(answer: Answer): Promise<Loopback> {
  const server = createServer((request, response) => {
    bodyOf(request)
      .then((body) => answer(request, body, new URL(request.url ?? '/', origin), response))
      .catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

export function sendFault(response: ServerResponse, fault: HttpFault): void {
  // It is ended by `close`, or by the client.
  if (fault.kind === 'hang') return;
  if (fault.kind === 'redirect') return void response.writeHead(302, { location: fault.to }).end();
  if (fault.kind === 'status') return void response.writeHead(fault.status).end('<h1>Out of order</h1>');
  response.writeHead(200, { 'content-type': fault.type ?? 'application/json' }).end(fault.text);
}
