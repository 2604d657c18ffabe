import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '../free-port.ts';
import { type Answer, createMatrixApi, type Question } from './api.ts';
import { createModel } from './model.ts';

/** A fault of requests whose path matches, for a number of times. */
export interface Fault {
  path: RegExp;
  times: number;
  /** Responds with this instead. */
  answer?: Answer;
  /** Processes the request, and then closes the connection instead of responding. */
  cutAfter?: boolean;
  /** Never responds. */
  hang?: boolean;
}

export type Homeserver = Awaited<ReturnType<typeof startHomeserver>>;

/**
 * A homeserver on loopback that implements the client-server API as far as reading and writing clients need it. Requests must
 * conform to the specification: all others are in `violations`.
 */
export async function startHomeserver() {
  const model = createModel('hs.test');
  const violations: string[] = [];
  const api = createMatrixApi(model, violations);
  const faults: Fault[] = [];
  const requests: Question[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  // A port outside the ephemeral range, so that no other process takes it while the homeserver is down.
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const question: Question = {
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: await text(request),
      gone: gone.signal,
    };
    requests.push(question);
    arrivals.emit('asked');
    const fault = faults.find(({ path, times }) => times > 0 && path.test(pathname));
    if (fault) fault.times -= 1;
    if (fault?.hang) return;
    const answer = fault?.answer ?? (await api.answer(question));
    if (fault?.cutAfter) return void response.destroy();
    const { status, headers = {}, body } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
  }

  return {
    url: `http://127.0.0.1:${port}`,
    model,
    violations: violations as readonly string[],
    /** All requests, in order. */
    requests: requests as readonly Question[],
    /** Resolves when a matching request was received. */
    async asked(fits: (question: Question) => boolean): Promise<void> {
      while (!requests.some(fits)) await once(arrivals, 'asked');
    },
    addMedia: api.addMedia,
    tokenOf: api.tokenOf,
    devicesOf: api.devicesOf,
    signOut: api.signOut,
    forgetPlaces: api.forgetPlaces,
    fault(fault: Omit<Fault, 'times'> & { times?: number }): void {
      faults.push({ times: 1, ...fault });
    },
    mend(): void {
      faults.length = 0;
    },
    /** Closes all connections abruptly. */
    cut: () => server.closeAllConnections(),
    async down(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async up(): Promise<void> {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async close(): Promise<void> {
      if (server.listening) await this.down();
    },
  };
}
