import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Json, type QueueEntry, SignalFailure, type SignalModel } from './signal-model.ts';

export interface SignalServer {
  tcpPort: number;
  httpPort: number;
  /** For `signal-cli.mjs`, which confirms what it has written. */
  programPort: number;
  close(): Promise<void>;
}

interface Line {
  id?: unknown;
  method?: string;
  params?: Json;
  jsonrpc?: string;
  /** Of `signal-cli.mjs`. */
  confirmed?: number;
}

/**
 * A stand-in for `signal-cli daemon --tcp --http --receive-mode=manual` in front of a model. Over TCP and HTTP a message
 * counts as received soon after it was written, whether or not it was read, as in signal-cli.
 */
export async function startSignalServer(model: SignalModel, { unixPath }: { unixPath?: string } = {}) {
  const sockets = new Set<Socket>();
  const serve = (mustConfirm: boolean) =>
    createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      talk(model, socket, mustConfirm);
    });
  const [tcp, program] = [serve(false), serve(true)];
  const unix = unixPath === undefined ? undefined : serve(false);
  const web = createHttpServer((request, response) => void answerHttp(model, request, response));
  for (const server of [tcp, program, web]) await listening(server);
  if (unix) await listening(unix, unixPath);
  const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port;
  return {
    tcpPort: portOf(tcp),
    httpPort: portOf(web),
    programPort: portOf(program),
    async close() {
      for (const socket of sockets) socket.destroy();
      web.closeAllConnections();
      await Promise.all([tcp, program, web, ...(unix ? [unix] : [])].map((server) => closed(server)));
    },
  } satisfies SignalServer;
}

function talk(model: SignalModel, socket: Socket, mustConfirm: boolean): void {
  let held = '';
  let unsubscribe: (() => void) | undefined;
  let subscription = 0;

  function take({ number, notification }: QueueEntry): void {
    const params = { subscription, result: notification };
    const line = { jsonrpc: '2.0', method: 'receive', params, ...(mustConfirm ? { number } : {}) };
    socket.write(`${JSON.stringify(line)}\n`);
    if (!mustConfirm) confirmLater(model, number, () => !socket.destroyed);
  }

  async function handle(line: string): Promise<void> {
    const asked = parsed(line);
    if (asked?.confirmed !== undefined) return model.confirm(asked.confirmed);
    if (asked?.method === 'subscribeReceive') {
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', result: ++subscription, id: asked.id })}\n`);
      unsubscribe = model.subscribe({ take });
      return;
    }
    if (asked?.method === 'unsubscribeReceive') unsubscribe?.();
    const answer = await answerTo(model, asked);
    if (answer && !socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
  }

  socket.setEncoding('utf8').on('error', () => {});
  socket.once('close', () => unsubscribe?.());
  socket.on('data', (chunk: string) => {
    const lines = (held + chunk).split('\n');
    held = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') void handle(line);
  });
}

/** The end of a connection is noticed a little later than it happens: what was written in between is written again. */
function confirmLater(model: SignalModel, number: number, isOpen: () => boolean): void {
  setTimeout(() => {
    if (isOpen()) model.confirm(number);
  }, 200).unref();
}

async function answerTo(model: SignalModel, asked: Line | undefined): Promise<Json | undefined> {
  if (!asked) return { jsonrpc: '2.0', error: { code: -32_700, message: 'not JSON', data: null }, id: null };
  try {
    const result = await model.answer(asked.method ?? '', asked.params ?? {});
    return asked.id === undefined ? undefined : { jsonrpc: '2.0', result, id: asked.id };
  } catch (error) {
    if (!(error instanceof SignalFailure)) throw error;
    return { jsonrpc: '2.0', error: { code: error.code, message: error.message, data: error.data }, id: asked.id };
  }
}

async function answerHttp(model: SignalModel, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  if (pathname === '/api/v1/rpc') {
    if (request.method !== 'POST') return end(response, 405);
    if (!/^application\/json/.test(request.headers['content-type'] ?? '')) return end(response, 415);
    const answer = await answerTo(model, parsed(await text(request)));
    return answer ? end(response, 200, JSON.stringify(answer)) : end(response, 201);
  }
  if (pathname !== '/api/v1/events') return end(response, pathname === '/api/v1/check' ? 200 : 404);
  const account = searchParams.get('account');
  if (account && !model.accounts.some(({ number }) => number === account)) return end(response, 400);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const unsubscribe = model.subscribe({
    take({ number, notification }) {
      response.write(`event:receive\ndata:${JSON.stringify(notification)}\n\n`);
      confirmLater(model, number, () => !response.destroyed);
    },
  });
  request.once('close', unsubscribe);
}

function end(response: ServerResponse, status: number, body?: string): void {
  response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
  response.end(body);
}

function parsed(line: string): Line | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function listening(server: Server, path?: string): Promise<void> {
  if (path === undefined) server.listen(0, '127.0.0.1');
  else server.listen(path);
  await once(server, 'listening');
}

async function closed(server: Pick<Server, 'close'>): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
