import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a port that the system chooses, and prints it on stderr. */
export async function serveOnFreePort(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  console.error(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
