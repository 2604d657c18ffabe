import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of ephemeral ports, so that no outgoing connection of another test takes it. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port on which no process listens: it was free when checked. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
