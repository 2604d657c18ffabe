// A server made with SDK 1.x.   node upstream-sdk1.ts --version 1-12 --name s0 [--transport http|sse --port 9000]
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveHttp } from './upstream-http.ts';
import { option } from './upstream-options.ts';

interface Extra {
  sendNotification?(notification: object): Promise<void>;
}

/** What this program needs of the SDK; the types of its versions are incompatible. */
interface Server {
  setRequestHandler(schema: unknown, handler: (request: { params: Params }, extra: Extra) => Promise<object>): void;
  connect(transport: object): Promise<void>;
  request(request: object, schema: unknown): Promise<{ content?: { text?: string } }>;
  notification(notification: object): Promise<void>;
}
interface Params {
  name: string;
  arguments?: { text?: string };
  _meta?: { progressToken?: number };
}
interface Transport {
  sessionId?: string;
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
  handlePostMessage(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const version = option('version', '1-32');
const name = option('name', 's0');
const load = async (path: string): Promise<Record<string, never>> => import(`sdk-${version}/${path}`);
const { Server: ServerClass } = (await load('server/index.js')) as unknown as {
  Server: new (info: object, options: object) => Server;
};
const types: Record<string, unknown> = await load('types.js');

function create(): Server {
  const server = new ServerClass(
    { name: `sdk-${version}`, version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {}, logging: {} } },
  );
  const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
  server.setRequestHandler(types.ListToolsRequestSchema, async () => ({
    tools: ['echo', 'sample', 'progress', 'grow'].map((kind) => ({
      name: `${kind}_${name}`,
      inputSchema: { type: 'object' },
    })),
  }));
  server.setRequestHandler(types.ListResourcesRequestSchema, async () => ({
    resources: [{ uri: `test://${name}/readme`, name: 'readme' }],
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, extra) => {
    if (params.name.startsWith('sample')) {
      const content = { type: 'text', text: 'hi' };
      const ask = { method: 'sampling/createMessage', params: { maxTokens: 5, messages: [{ role: 'user', content }] } };
      const answer = await server.request(ask, types.CreateMessageResultSchema);
      return text(`sampled=${answer.content?.text}`);
    }
    if (params.name.startsWith('progress')) {
      const progressToken = params._meta?.progressToken;
      const notification = { method: 'notifications/progress', params: { progressToken, progress: 1, total: 1 } };
      if (extra.sendNotification) await extra.sendNotification(notification);
      else await server.notification(notification);
    }
    if (params.name.startsWith('grow')) await server.notification({ method: 'notifications/tools/list_changed' });
    return text(params.arguments?.text ?? '');
  });
  return server;
}

const transport = option('transport', 'stdio');
if (transport === 'stdio') {
  const { StdioServerTransport } = (await load('server/stdio.js')) as unknown as {
    StdioServerTransport: new () => object;
  };
  await create().connect(new StdioServerTransport());
} else {
  const sessions = new Map<string, Transport>();
  const serve = transport === 'sse' ? await sse(sessions) : await streamable(sessions);
  const { url } = await serveHttp(serve, Number(option('port', '0')));
  console.log(url);
}

async function streamable(sessions: Map<string, Transport>) {
  const { StreamableHTTPServerTransport } = (await load('server/streamableHttp.js')) as unknown as {
    StreamableHTTPServerTransport: new (options: object) => Transport;
  };
  return async (request: IncomingMessage, response: ServerResponse) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known) return known.handleRequest(request, response);
    const created = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id: string) => void sessions.set(id, created),
    });
    await create().connect(created);
    return created.handleRequest(request, response);
  };
}

/** The old transport: its stream has the same path that newer clients post to. */
async function sse(sessions: Map<string, Transport>) {
  const { SSEServerTransport } = (await load('server/sse.js')) as unknown as {
    SSEServerTransport: new (path: string, response: ServerResponse) => Transport;
  };
  return async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'GET') {
      const created = new SSEServerTransport('/messages', response);
      sessions.set(String(created.sessionId), created);
      return create().connect(created);
    }
    const known = pathname === '/messages' ? sessions.get(String(searchParams.get('sessionId'))) : undefined;
    if (known) return known.handlePostMessage(request, response);
    response.writeHead(404).end();
    return;
  };
}
