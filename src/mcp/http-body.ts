import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonMediaType } from '../lib/json-media-type.ts';
import { sendRefusal } from './http-answers.ts';

/** The JSON of a POST; undefined where there is no valid JSON, after the client has been answered. */
export async function readMessage(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<{ value: unknown } | undefined> {
  if (!isJsonMediaType(request.headers['content-type'])) {
    return void sendRefusal(response, 415, -32600, 'Unsupported Media Type: send application/json.');
  }
  const body = await readBody(request, maxBytes);
  if (body === undefined) {
    return void sendRefusal(response, 413, -32600, `A request may have at most ${maxBytes} bytes.`);
  }
  try {
    return { value: JSON.parse(body) };
  } catch {
    return void sendRefusal(response, 400, -32700, 'Parse error: no valid JSON.');
  }
}

/** `undefined` when it is larger than allowed. The rest is still read, so that the client reads our answer. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  // Reading it by an iterator would take several times as long.
  request
    .on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    })
    .once('end', () => {
      const [first] = chunks;
      const whole = chunks.length === 1 && first ? first : Buffer.concat(chunks);
      resolve(size > maxBytes ? undefined : whole.toString('utf8'));
    })
    .once('error', reject);
  return promise;
}
