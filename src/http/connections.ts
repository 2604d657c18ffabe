import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  socket: Socket;
  /** A request on it was authorized. */
  isKnown: boolean;
  /** Authorized requests that are not answered yet. */
  running: number;
}

/**
 * Limits the number of connections without keeping new clients out. Over the limit the oldest connection without any
 * authorized request is closed, of the address that has the most of them; then one that is idle.
 */
export function limitConnections(server: Server, max: () => number) {
  const open = new Map<Socket, Connection>();

  server.on('connection', (socket: Socket) => {
    open.set(socket, { socket, isKnown: false, running: 0 });
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
    /** This request was authorized. */
    admitted({ socket }: IncomingMessage, response: ServerResponse): void {
      const connection = open.get(socket);
      if (!connection || response.closed) return;
      connection.isKnown = true;
      connection.running += 1;
      response.once('close', () => {
        connection.running -= 1;
      });
    },
  };
}

/** Closes the connection of a client that has not read anything for this long although there is something to read. */
export function closeWhenStalled(response: ServerResponse, timeoutMs: number): void {
  response.setTimeout(timeoutMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}
