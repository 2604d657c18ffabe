import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { RemoteOptions } from '../../../src/servers/upstream/http-client.ts';
import { createRemoteTransport } from '../../../src/servers/upstream/remote-transport.ts';
import { UpstreamFailure } from '../../../src/servers/upstream/upstream.ts';
import { connectTo, createRecordingListener, NEVER } from './upstream-connection.ts';
import { bodyOf, serveHttp } from './upstream-http.ts';
import { INITIALIZED } from './upstream-memory.ts';

export interface HttpExchange {
  request: IncomingMessage;
  response: ServerResponse;
  message: JsonObject;
}

export type Behaviour = (exchange: HttpExchange) => void | Promise<void>;

const OPTIONS = { signal: NEVER, timeoutMs: 60_000 };
const CALL = { name: 'x' };
const SESSION = { 'mcp-session-id': 'a-session' };
export const STREAM = { 'content-type': 'text/event-stream' };

export function answerJson({ response, message }: HttpExchange, answer: object, headers: object = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
}

export const event = (message: object, fields = '') =>
  `${fields}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

/** A server with a session that answers the handshake itself, and is otherwise as the test says. */
export async function serveSession(t: TestContext, behaviour: Partial<Record<'call' | 'get' | 'any', Behaviour>>) {
  const requests: { method: string; message: JsonObject; headers: IncomingMessage['headers'] }[] = [];
  const server = await serveHttp(async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : '';
    const message: JsonObject = body === '' ? {} : JSON.parse(body);
    requests.push({ method: String(request.method), message, headers: request.headers });
    const exchange = { request, response, message };
    if (behaviour.any) await behaviour.any(exchange);
    if (response.headersSent) return;
    if (request.method === 'GET') return behaviour.get ? behaviour.get(exchange) : void response.writeHead(405).end();
    if (message.method === 'initialize') return answerJson(exchange, INITIALIZED, SESSION);
    if (message.method === 'tools/call') return behaviour.call?.(exchange);
    if (message.method === 'ping') return answerJson(exchange, { result: {} });
    response.writeHead(202).end();
  });
  t.after(server.close);
  return { ...server, requests };
}

export async function connectHttp(t: TestContext, url: string, options: Partial<RemoteOptions> = {}) {
  const listener = createRecordingListener();
  const upstream = await connectTo({ transport: createRemoteTransport({ type: 'http', url, ...options }), listener });
  t.after(() => upstream.close());
  return { upstream, listener, call: (more = {}) => upstream.request('tools/call', CALL, { ...OPTIONS, ...more }) };
}

export const failsAs =
  (kind: string, details: object = {}) =>
  (thrown: unknown): true => {
    assert.ok(thrown instanceof UpstreamFailure, String(thrown));
    assert.equal(thrown.kind, kind);
    for (const [name, value] of Object.entries(details)) assert.equal(thrown[name as 'status'], value);
    return true;
  };
