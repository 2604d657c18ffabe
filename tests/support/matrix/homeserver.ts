import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '../free-port.ts';
import { type Answer, createMatrixApi, type Question } from './api.ts';
import { createModel } from './model.ts';

/** Something that goes wrong with requests whose path fits, as often as said. */
export interface Fault {
  path: RegExp;
  times: number;
  /** Answers with this instead. */
  answer?: Answer;
  /** Does what is asked, and then breaks the connection instead of answering. */
  cutAfter?: boolean;
  /** Never answers. */
  hang?: boolean;
}

export type Homeserver = Awaited<ReturnType<typeof startHomeserver>>;

/**
 * A homeserver on loopback that speaks the client-server API as far as a client that reads and writes needs it. What is
 * asked of it must be as the specification says: everything else is in `violations`.
 */
export async function startHomeserver() {
  const model = createModel('hs.test');
  const violations: string[] = [];
  const api = createMatrixApi(model, violations);
  const faults: Fault[] = [];
  const requests: Question[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  // Nobody may take it while we are down.
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
    /** All that was asked, in order. */
    requests: requests as readonly Question[],
    /** Resolves when something was asked that fits. */
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
    /** Breaks all connections, without a word. */
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
