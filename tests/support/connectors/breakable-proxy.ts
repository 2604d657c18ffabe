import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../free-port.ts';

/** A proxy in front of a server on loopback, so that a test can break connections while the server keeps running. */
export interface BreakableProxy {
  readonly port: number;
  /** Cuts all connections abruptly. */
  cut(): void;
  /** Cuts them and refuses new ones until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Drops everything that both peers send from now on over existing connections, without notifying them. */
  silence(): void;
  close(): Promise<void>;
}

export async function breakableProxy(target: number): Promise<BreakableProxy> {
  const sockets = new Set<Socket>();
  // A port outside the ephemeral range, so that no other process takes it while the proxy is down.
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
