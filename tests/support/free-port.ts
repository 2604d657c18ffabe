import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to whoever asks for any port, so that none of the many connections of other tests takes it. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port that nobody listens on: it was free a moment ago. */
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
