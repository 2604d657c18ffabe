import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';

/** A request whose body is incomplete until the test ends it. */
export async function sendHalf(url: string, { headers, body }: { headers: Record<string, string>; body: string }) {
  const outgoing = httpRequest(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  });
  const half = Math.floor(body.length / 2);
  // It may fail before the test awaits it.
  const answered = once(outgoing, 'response').then(async ([response]: IncomingMessage[]) => {
    const chunks = (await response?.toArray()) ?? [];
    return { status: response?.statusCode, body: Buffer.concat(chunks).toString('utf8') };
  });
  answered.catch(() => {});
  await new Promise((resolve) => outgoing.write(body.slice(0, half), resolve));
  return {
    finish() {
      outgoing.end(body.slice(half));
      return answered;
    },
  };
}
