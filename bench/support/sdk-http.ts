import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { serveOnFreePort } from './free-port.ts';
import { createSdkServer } from './sdk-server.ts';

// JSON answers: its streams would be slower, and ours answers a short call with JSON too.
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
const stateless = createMcpHandler(createSdkServer, { legacy: 'reject' });

await serveOnFreePort(async (request, response) => {
  const parsedBody: unknown = JSON.parse(await textOf(request));
  const web = toWebRequest(request);
  if (request.url === '/stateless') return relay(await stateless.fetch(web, { parsedBody }), response);
  const session = sessions.get(String(request.headers['mcp-session-id'])) ?? (await openSession());
  await relay(await session.handleRequest(web, { parsedBody }), response);
});

async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    enableJsonResponse: true,
  });
  await createSdkServer().connect(transport);
  return transport;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function toWebRequest({ url, method = 'POST', headers }: IncomingMessage): Request {
  return new Request(`http://${headers.host}${url}`, { method, headers: headers as Record<string, string> });
}

async function relay(answer: Response, response: ServerResponse): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': body.length }).end(body);
}
