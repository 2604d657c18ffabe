import { createHttpExchanges, headerOf, messageIn, post } from './http-exchange.ts';
import { checkAnswer, FIRST_CALL, INITIALIZE, recordedCall, resultIn, type Wire } from './wire.ts';

const STATELESS = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': INITIALIZE.clientInfo,
};

/** 2025-11-25, with a session where the server has them. */
export async function openSessionWire(port: number, path: string): Promise<Wire> {
  const exchanges = createHttpExchanges(port);
  const introduction = { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE };
  const begun = await exchanges.send(post(port, path, {})(JSON.stringify(introduction)));
  resultIn(messageIn(begun));
  const session = headerOf(begun, 'mcp-session-id');
  const headers = {
    'mcp-protocol-version': INITIALIZE.protocolVersion,
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
  const toPost = post(port, path, headers);
  await exchanges.send(toPost(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })));
  return createHttpWire(exchanges, { request: () => toPost, meta: undefined });
}

/** 2026-07-28: each request is complete in itself, and its headers repeat its method and name. */
export function openStatelessWire(port: number, path: string): Wire {
  const request = (method: string, name?: string) =>
    post(port, path, {
      'mcp-protocol-version': STATELESS,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    });
  return createHttpWire(createHttpExchanges(port), { request, meta: META });
}

interface Era {
  request(method: string, name?: string): (body: string) => string;
  meta: object | undefined;
}

function createHttpWire(exchanges: ReturnType<typeof createHttpExchanges>, { request, meta }: Era): Wire {
  let lastId = 1;
  let lastCall = FIRST_CALL;
  let record = recordedCall('');
  let toPost = request('tools/call');

  return {
    async request(method, params = {}) {
      lastId += 1;
      const message = { jsonrpc: '2.0', id: lastId, method, params: { ...params, ...(meta ? { _meta: meta } : {}) } };
      return resultIn(messageIn(await exchanges.send(request(method)(JSON.stringify(message)))));
    },
    useTool(name) {
      record = recordedCall(name, meta);
      toPost = request('tools/call', name);
    },
    async call() {
      lastCall += 1;
      const id = lastCall;
      checkAnswer(await exchanges.send(toPost(record(id))), id);
    },
    close: async () => exchanges.close(),
  };
}
