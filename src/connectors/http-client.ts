import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { readCertificate } from './certificate-file.ts';
import { noAnswer, WrongServer } from './connection-failure.ts';

export interface HttpRequest {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal: AbortSignal;
}

export interface HttpResponse {
  status: number;
  header(name: string): string | undefined;
  /** Must be read to the end or destroyed. */
  body: Readable;
}

/** Requests to one server. Not by `fetch`, which takes no certificate of one's own. Redirects are not followed. */
export interface HttpClient {
  request(address: string, request: HttpRequest): Promise<HttpResponse>;
  /** Closes idle connections, and the others once they are idle; later requests open new ones. */
  close(): void;
}

const CONNECT_MS = 10_000;
/** There may be several idle connections. */
const MAX_TRIES = 10;

export function createHttpClient({ ca }: { ca?: string | undefined } = {}): HttpClient {
  let agents: Promise<{ http: HttpAgent; https: HttpsAgent }> | undefined;

  async function createAgents() {
    const trust = ca === undefined ? {} : { ca: await readCertificate(ca) };
    return { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true, ...trust }) };
  }

  return {
    async request(address, request) {
      agents ??= createAgents();
      const { http, https } = await agents;
      const agent = address.startsWith('https:') ? https : http;
      for (let tries = 1; ; tries += 1) {
        try {
          return await exchange(address, request, agent);
        } catch (error) {
          if (!(error instanceof StaleSocket) || tries >= MAX_TRIES) throw error;
        }
      }
    },
    close() {
      void agents?.then(
        (open) => Object.values(open).forEach(closeIdle),
        () => {},
      );
      agents = undefined;
    },
  };
}

/** The server may have closed an idle connection. A PUT can be repeated. */
class StaleSocket extends Error {}

async function exchange(
  address: string,
  { method = 'GET', headers = {}, body, signal }: HttpRequest,
  agent: HttpAgent | HttpsAgent,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = agent instanceof HttpsAgent ? httpsRequest : httpRequest;
  const sent = request(address, { method, headers: { 'accept-encoding': 'gzip', ...headers }, signal, agent });
  sent.once('response', resolve).on('error', (error: Error & { code?: string }) => {
    const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && method === 'PUT';
    if (isStale) return reject(new StaleSocket(error.message, { cause: error }));
    reject(isUnanswered(sent, error) ? closed(error) : error);
  });
  limitConnecting(sent);
  sent.end(body);
  return responseOf(await promise);
}

/** The server was reached without TLS, and ended the connection instead of answering. */
function isUnanswered({ socket }: ClientRequest, { code = '' }: { code?: string }): boolean {
  return ENDINGS.has(code) && !(socket instanceof TLSSocket) && socket?.bytesRead === 0;
}

const ENDINGS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

function closed(cause: Error): WrongServer {
  return new WrongServer('an HTTP server', 'closed without TLS', cause);
}

/** A server without TLS may wait for more of what it cannot read, instead of refusing it. */
function limitConnecting(request: ClientRequest): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket) return;
    const late = () => request.destroy(noAnswer({ isConnected: !socket.connecting }));
    const timer = setTimeout(late, CONNECT_MS);
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    socket.once('close', () => clearTimeout(timer));
  });
}

function closeIdle(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function responseOf(response: IncomingMessage): HttpResponse {
  const { statusCode: status = 0, headers } = response;
  const isZipped = headers['content-encoding'] === 'gzip';
  return {
    status,
    header(name) {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    // The error of either is the reader's.
    body: isZipped ? pipeline(response, createGunzip(), () => {}) : response,
  };
}
