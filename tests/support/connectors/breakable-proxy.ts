import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';

/** Stands before a server on loopback, so that a test can break the line while the server goes on. */
export interface BreakableProxy {
  readonly port: number;
  /** Breaks all connections, without a word. */
  cut(): void;
  /** Breaks them and lets nobody in until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Swallows everything both sides say from now on, on the connections there are: neither side is told. */
  silence(): void;
  close(): Promise<void>;
}

export async function breakableProxy(target: number): Promise<BreakableProxy> {
  const sockets = new Set<Socket>();
  // Nobody may take it while we are down.
  const port = await freePort();
  let server = await listen();

  async function listen() {
    const next = createServer((near) => join(near, connect(target, '127.0.0.1')));
    next.listen(port, '127.0.0.1');
    await once(next, 'listening');
    return next;
  }

  function join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  async function down(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  }

  return {
    port,
    cut,
    down,
    up: async () => {
      server = await listen();
    },
    silence() {
      for (const socket of sockets) socket.unpipe().resume();
    },
    close: () => (server.listening ? down() : Promise.resolve()),
  };
}
