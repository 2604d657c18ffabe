import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and an IMAP server, to see when the server reports new mail. */
export interface ImapRelay {
  readonly port: number;
  /** Resolves with the time at which the next report of new mail is passed on. */
  nextReport(): Promise<number>;
  close(): void;
}

export async function startImapRelay({ host, port }: { host: string; port: number }): Promise<ImapRelay> {
  const sockets = new Set<Socket>();
  let report = (_at: number) => {};
  const relay = createServer((client) => {
    const server = connect(port, host).setNoDelay();
    client.setNoDelay();
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
    client.pipe(server);
    server.on('data', (chunk: Buffer) => {
      client.write(chunk);
      if (chunk.includes(' EXISTS\r\n')) report(performance.now());
    });
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    nextReport: () =>
      new Promise((resolve) => {
        report = resolve;
      }),
    close() {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
