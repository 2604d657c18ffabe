import { connect } from 'node:net';
import type { Waiting } from './wire.ts';

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';
/** Well below the five seconds after which Node's servers end an idle connection. */
const IDLE_MS = 2_000;

/** As many keep-alive connections as there are requests at once, each with one request at a time. */
export function createHttpExchanges(port: number) {
  const idle: Connection[] = [];
  const all = new Set<Connection>();

  function take(): Connection {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (connection.isFresh()) return connection;
      connection.close();
      all.delete(connection);
    }
    const fresh = openConnection(port);
    all.add(fresh);
    return fresh;
  }

  return {
    /** Sends the bytes of a request. Resolves with those of the response, read as Latin-1. */
    async send(request: string): Promise<string> {
      const connection = take();
      const response = await connection.send(request);
      idle.push(connection);
      return response;
    },
    close(): void {
      for (const connection of all) connection.close();
      all.clear();
    },
  };
}

type Connection = ReturnType<typeof openConnection>;

function openConnection(port: number) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let received = '';
  let lastUsed = performance.now();
  let waiting: Waiting | undefined;

  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    if (!isComplete(received)) return;
    const response = received;
    received = '';
    lastUsed = performance.now();
    waiting?.resolve(response);
    waiting = undefined;
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('The server closed the connection without an answer.')));

  return {
    send: (request: string) =>
      new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    /** A server closes a connection that is idle for long, perhaps just when it would be used again. */
    isFresh: () => !socket.destroyed && performance.now() - lastUsed < IDLE_MS,
    close: () => void socket.destroy(),
  };
}

function isComplete(response: string): boolean {
  const end = response.indexOf(END_OF_HEAD);
  if (end === -1) return false;
  const body = end + END_OF_HEAD.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(response)?.[1];
  if (length !== undefined) return response.length >= body + Number(length);
  return /^HTTP\/1.1 (?:202|204)/.test(response) || response.endsWith(LAST_CHUNK);
}

export function post(port: number, path: string, headers: Readonly<Record<string, string>>): (body: string) => string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head =
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
    `accept: application/json, text/event-stream\r\n${lines.join('')}content-length: `;
  // What is sent is ASCII.
  return (body) => `${head}${body.length}${END_OF_HEAD}${body}`;
}

export function headerOf(response: string, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *([^\\r]+)`, 'i').exec(response.slice(0, response.indexOf(END_OF_HEAD)))?.[1];
}

/** The last message in a response, whether it is JSON or an event stream. */
export function messageIn(response: string): string {
  if (!/^HTTP\/1.1 2/.test(response)) throw new Error(`HTTP failed: ${response.slice(0, 1_000)}`);
  const body = response.slice(response.indexOf(END_OF_HEAD) + END_OF_HEAD.length);
  const text = Buffer.from(headerOf(response, 'transfer-encoding') ? unchunked(body) : body, 'latin1').toString('utf8');
  if (!headerOf(response, 'content-type')?.startsWith('text/event-stream')) return text;
  return [...text.matchAll(/^data: ?(\{.*)$/gm)].at(-1)?.[1] ?? '';
}

function unchunked(body: string): string {
  let text = '';
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, line), 16);
    if (!(size > 0)) return text;
    text += body.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}
