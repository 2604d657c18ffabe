import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { jsonLine } from '../lib/json-line.ts';
import { replaceSchemaMessages, type WireError } from './errors.ts';

/** A request of Node's server as the SDK's HTTP handler expects it; the body is passed parsed. */
export function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // The path has been routed already, and a client may send one that is not a URL.
  return new Request('http://localhost/mcp', {
    method: request.method ?? 'POST',
    headers,
    signal,
  });
}

const MAX_LISTENERS = 30;

export function isStream(answer: Response): boolean {
  return answer.headers.get('content-type') === 'text/event-stream';
}

/** Only errors are parsed. */
function withOwnMessages(json: Buffer): { json: Buffer | string; error?: WireError } {
  if (!json.includes('"error":{')) return { json };
  const message = JSON.parse(json.toString('utf8')) as { error?: WireError };
  if (!message.error) return { json };
  replaceSchemaMessages(message.error);
  return { json: JSON.stringify(message), error: message.error };
}

/** Writes the SDK's answer. Reports whether the response was still waiting for it, and the error if it was one. */
export async function relay(
  answer: Response,
  response: ServerResponse,
): Promise<{ isAnswer: boolean; error?: WireError }> {
  if (response.destroyed || response.headersSent) {
    await answer.body?.cancel();
    return { isAnswer: false };
  }
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!isStream(answer)) {
    const { json, error } = withOwnMessages(Buffer.from(await answer.arrayBuffer()));
    response.end(json);
    return { isAnswer: true, ...(error ? { error } : {}) };
  }
  response.flushHeaders();
  // The pipeline adds many listeners of its own.
  response.setMaxListeners(MAX_LISTENERS);
  if (!answer.body) response.end();
  // A client that disconnects is no error.
  else await pipeline(answer.body, oneLineEach, response).catch(() => {});
  return { isAnswer: true };
}

/** The SDK does not escape the line breaks of Unicode. */
async function* oneLineEach(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield jsonLine(decoder.decode(chunk, { stream: true }));
}
