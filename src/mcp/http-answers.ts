import type { ServerResponse } from 'node:http';
import type { RequestId } from '../lib/id-scanner.ts';

const RETRY = { 'retry-after': '1' };

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/** The same for serialized JSON. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(status === 429 || status === 503 ? RETRY : undefined),
      ...headers,
    })
    .end(text);
}

/** Refuses a POST with a JSON-RPC error. */
export function sendRefusal(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  id: RequestId | null = null,
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, { jsonrpc: '2.0', id, error: { code, message } }, headers);
}
