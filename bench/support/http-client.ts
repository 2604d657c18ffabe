import { type Answer, type Client, resultOf } from './client.ts';
import { createHttpSocket, type HttpSocket } from './http-socket.ts';

type Headers = Record<string, string>;

/** What a request looks like in one protocol version. */
interface Era {
  headers(method: string, params: Record<string, unknown>): Headers;
  params(params: Record<string, unknown>): Record<string, unknown>;
}

/** Sends requests over as many keep-alive connections as there are concurrent requests. */
function createHttpClient(url: string, era: Era, onHeaders?: (headers: Headers) => void): Client {
  const { hostname, port, pathname } = new URL(url);
  const idle: HttpSocket[] = [];
  const all = new Set<HttpSocket>();
  let lastId = 0;

  function takeSocket(): HttpSocket {
    for (let socket = idle.pop(); socket; socket = idle.pop()) {
      if (socket.isFresh()) return socket;
      socket.close();
      all.delete(socket);
    }
    const fresh = createHttpSocket(hostname, Number(port));
    all.add(fresh);
    return fresh;
  }

  async function post(method: string, params: Record<string, unknown>, id?: number): Promise<string> {
    const socket = takeSocket();
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: era.params(params) });
    const { status, headers, text } = await socket.post(pathname, era.headers(method, params), body);
    idle.push(socket);
    onHeaders?.(headers);
    if (status >= 300) throw new Error(`${method} was answered with HTTP ${status}: ${text}`);
    return text;
  }

  return {
    async request(method, params = {}) {
      lastId += 1;
      return resultOf(JSON.parse(await post(method, params, lastId)) as Answer, method);
    },
    async notify(method) {
      await post(method, {});
    },
    async close() {
      for (const socket of all) socket.close();
    },
  };
}

/** 2025-11-25: a session whose id is in the first response. */
export function createSessionClient(url: string): Client {
  let session: Headers = {};
  const era: Era = { headers: () => session, params: (params) => params };
  return createHttpClient(url, era, (headers) => {
    const id = headers['mcp-session-id'];
    if (id !== undefined) session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
  });
}

const STATELESS = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
};

/** 2026-07-28: each request is complete in itself, and its headers repeat its method and name. */
export function createStatelessClient(url: string): Client {
  return createHttpClient(url, {
    headers: (method, { name }) => ({
      'mcp-protocol-version': STATELESS,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    }),
    params: (params) => ({ ...params, _meta: META }),
  });
}
