import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  socket: Socket;
  /** Requests so far. */
  arrived: number;
  /** Requests that are not answered yet. */
  running: number;
  /** A request on it was authorized. */
  isKnown: boolean;
}

/**
 * Limits the number of connections without keeping new clients out. Over the limit the oldest connection without any
 * authorized request is closed, of the address that has the most of them; then one that is idle.
 */
export function limitConnections(server: Server, max: () => number) {
  const open = new Map<Socket, Connection>();

  server.on('connection', (socket: Socket) => {
    open.set(socket, { socket, arrived: 0, running: 0, isKnown: false });
    socket.once('close', () => open.delete(socket));
    if (open.size > max()) superfluous(socket).destroy();
  });

  function superfluous(newest: Socket): Socket {
    const others = [...open.values()].filter(({ socket }) => socket !== newest);
    const unknown = others.filter(({ isKnown }) => !isKnown);
    const byAddress = Object.values(Object.groupBy(unknown, ({ socket }) => socket.remoteAddress ?? ''));
    const [greediest] = byAddress.sort((a, b) => (b?.length ?? 0) - (a?.length ?? 0));
    const idle = others.find(({ isKnown, running }) => isKnown && running === 0);
    return (greediest?.[0] ?? idle)?.socket ?? newest;
  }

  return {
    /** Returns what to call when its response is closed. */
    arrived({ socket }: IncomingMessage): () => void {
      const connection = open.get(socket);
      if (!connection) return () => {};
      connection.arrived += 1;
      connection.running += 1;
      return () => {
        connection.running -= 1;
      };
    },
    /** This request was authorized. */
    admitted({ socket }: IncomingMessage): void {
      const connection = open.get(socket);
      if (connection) connection.isKnown = true;
    },
    /** Closes the connection of a client that has not read anything for so long although there is something to read. */
    closeWhenStalled(timeoutMs: number): void {
      server.timeout = timeoutMs;
      // Node reports connections that are idle after a request in the same way, after a time of their own.
      server.on('timeout', (socket: Socket) => {
        const { arrived = 0, running = 0 } = open.get(socket) ?? {};
        if (socket.writableLength > 0 || (arrived > 0 && running === 0)) socket.destroy();
      });
    },
  };
}
