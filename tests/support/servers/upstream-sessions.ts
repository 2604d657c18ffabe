import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { fromWeb, type Handler } from './upstream-http.ts';

/** Streamable HTTP with sessions, by the SDK: a server object for each session. */
export function sessionHandler(create: () => McpServer): Handler {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return fromWeb(async (request) => {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request);
    if (id !== null) return new Response(null, { status: 404 });
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await create().connect(transport);
    return transport.handleRequest(request);
  });
}
