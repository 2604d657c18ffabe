import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface PlainIrcServer {
  readonly port: number;
  /** All lines received from clients, in order. */
  readonly heard: string[];
  /** Writes these bytes unchanged to every client. */
  write(bytes: string | Buffer): void;
  stop(): Promise<void>;
}

/** An IRC server as of 1993: no capabilities, tags, ids or echo. Answers only what registration needs. */
export async function startPlainIrcServer(answers: Record<string, string> = {}): Promise<PlainIrcServer> {
  const heard: string[] = [];
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    const say = (line: string) => client.write(`${line}\r\n`);
    const lines = createInterface(client).on('error', () => {});
    lines.on('line', (line) => {
      heard.push(line);
      const [command = '', target = '', ...rest] = line.split(' ');
      const text = rest.join(' ').replace(/^:/, '');
      const given = answers[`${command} ${target}`];
      if (given !== undefined) say(given);
      else if (command === 'USER') say(':old.test 001 alice :Welcome\r\n:old.test 422 alice :No message today');
      else if (command === 'JOIN') {
        const channel = target.replace(/^:/, '');
        say(`:alice!a@host JOIN ${channel}`);
        say(`:old.test 353 alice = ${channel} :@bob alice`);
        say(`:old.test 366 alice ${channel} :End`);
      } else if (command === 'PING') say(`:old.test PONG old.test :${`${target} ${text}`.trim().replace(/^:/, '')}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    write(bytes) {
      for (const client of clients) client.write(bytes);
    },
    async stop() {
      for (const client of clients) client.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
