import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/**
 * Forwards every request to `target` with a bearer token added, for a client that cannot send one. Host and Origin are
 * forwarded unchanged, because they are under test.
 */
export async function startTokenProxy(target: string, token: string) {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const forward = send({
      hostname,
      port,
      path: incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, authorization: `Bearer ${token}` },
    });
    forward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    forward.on('error', () => outgoing.destroy());
    outgoing.once('close', () => forward.destroy());
    pipeline(incoming, forward).catch(() => forward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
