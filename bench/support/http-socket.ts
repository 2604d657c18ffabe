import { connect } from 'node:net';

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

const END_OF_HEAD = '\r\n\r\n';
/** Well below the five seconds after which Node's servers end an idle connection. */
const IDLE_MS = 2_000;

/**
 * One keep-alive connection, one request at a time. Node's own client costs as much as the whole response of a server, which
 * would hide the differences between servers.
 */
export function createHttpSocket(host: string, port: number) {
  const socket = connect({ host, port, noDelay: true });
  let received: Buffer = Buffer.alloc(0);
  let lastUsed = performance.now();
  let waiting: { resolve(response: HttpResponse): void; reject(error: Error): void } | undefined;

  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const response = parse(received);
    if (!response) return;
    received = Buffer.alloc(0);
    lastUsed = performance.now();
    waiting?.resolve(response);
    waiting = undefined;
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () => waiting?.reject(new Error('The server closed the connection without an answer.')));

  return {
    post(path: string, headers: Record<string, string>, body: string): Promise<HttpResponse> {
      const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
      waiting = { resolve, reject };
      let head = `POST ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\ncontent-type: application/json\r\n`;
      head += 'accept: application/json, text/event-stream\r\n';
      for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
      socket.write(`${head}content-length: ${Buffer.byteLength(body)}${END_OF_HEAD}${body}`);
      return promise;
    },
    /** A server closes a connection that is idle for long, perhaps just when it would be reused. */
    isFresh: () => !socket.destroyed && performance.now() - lastUsed < IDLE_MS,
    close: () => void socket.destroy(),
  };
}

export type HttpSocket = ReturnType<typeof createHttpSocket>;

/** The response once it is complete. Event streams are not measured here: they have no end to wait for. */
function parse(received: Buffer): HttpResponse | undefined {
  const end = received.indexOf(END_OF_HEAD);
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const rest = received.subarray(end + END_OF_HEAD.length);
  const text = headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : sized(rest, headers['content-length']);
  return text === undefined ? undefined : { status: Number(statusLine.split(' ')[1]), headers, text };
}

function sized(rest: Buffer, length = '0'): string | undefined {
  return rest.length < Number(length) ? undefined : rest.toString('utf8');
}

function unchunked(rest: Buffer): string | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, line), 16);
    const start = line + 2;
    at = start + size + 2;
    if (rest.length < at) return undefined;
    if (size === 0) return Buffer.concat(chunks).toString('utf8');
    chunks.push(rest.subarray(start, start + size));
  }
}
