import type { IncomingMessage } from 'node:http';

/** A connection whose rest of a response is longer or slower than this is not worth keeping. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const MAX_DISCARD_MS = 2_000;

/** The text of a response; undefined where it is longer than the limit. Rejects if it breaks. */
export function readText(response: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    else {
      resolve(undefined);
      response.destroy();
    }
  });
  response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8'))).once('error', reject);
  response.once('close', () => reject(new Error('the response was closed')));
  return promise;
}

/** Reads a response that no one needs, so that its connection can be used again. */
export function discard(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), MAX_DISCARD_MS).unref();
  readText(response, MAX_DISCARDED_BYTES)
    .catch(() => {})
    .finally(() => clearTimeout(timer));
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream[ \t]*(?:;|$)/i.test(headers['content-type'] ?? '');
}
