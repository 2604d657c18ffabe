import { randomUUID } from 'node:crypto';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { createEchoServer } from '../../../tests/support/servers/upstream-echo-server.ts';
import { serveWeb } from './web-server.ts';

// The echo server over HTTP: `/mcp` creates a server for each request, in both eras; `/sessions` one for each session.
const create = () => createEchoServer({ name: 's0' });
const each = createMcpHandler(create);
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

await serveWeb(Number(process.argv[2]), async (request, parsedBody) => {
  if (!request.url.endsWith('/sessions')) return each.fetch(request, { parsedBody });
  const session = sessions.get(request.headers.get('mcp-session-id') ?? '') ?? (await openSession());
  return session.handleRequest(request, { parsedBody });
});

/** JSON answers: its streams would be slower, and ours answers a short call with JSON too. */
async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    enableJsonResponse: true,
  });
  await create().connect(transport);
  return transport;
}
