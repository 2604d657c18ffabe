import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import { ProtectedResponse } from './protected-response.ts';

export interface PortOptions {
  host: string;
  port: number;
  /** How long a client may take to send a request, and how long it may stop reading an answer. */
  connectTimeoutMs: number;
  log: Log;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Opens the port before anything else is started, so that a port in use has no side effects. */
export async function openPort({ host, port, connectTimeoutMs, log }: PortOptions) {
  /** Requests that arrived before `serve` was called. */
  let queued: Parameters<RequestHandler>[] = [];
  let serve: RequestHandler = (...request) => void queued.push(request);

  // How often Node checks for connections that exceed the timeouts.
  const connectionsCheckingInterval = Math.ceil(Math.min(connectTimeoutMs / 4, 5_000));
  const options = { connectionsCheckingInterval, ServerResponse: ProtectedResponse };
  const onResponseError = (err: Error) => log.error({ err }, 'a response failed');
  const server = createServer(options, (request, response) => {
    // Without a listener an error of one response would end the process.
    response.on('error', onResponseError);
    serve(request, response);
  });
  server.headersTimeout = connectTimeoutMs;
  server.requestTimeout = connectTimeoutMs;

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(port, host, resolve);
  try {
    await promise;
  } catch (thrown) {
    throw cannotListen(thrown as NodeJS.ErrnoException, host, port);
  }
  // For example too many open files: only this connection is lost.
  server.off('error', reject).on('error', (err) => log.error({ err }, 'could not accept a connection'));

  return {
    server,
    connectTimeoutMs,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    serve(by: RequestHandler): void {
      serve = by;
      for (const request of queued) serve(...request);
      queued = [];
    },
    /** Closes the port and all connections immediately. May be called twice. */
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type OpenPort = Awaited<ReturnType<typeof openPort>>;

function cannotListen(cause: NodeJS.ErrnoException, host: string, port: number): AppError {
  if (cause.code === 'EADDRINUSE') {
    return new AppError('CONFLICT', `Port ${port} on ${host} is in use by another program.`, {
      field: 'port',
      hint: 'Choose another one with --port, or end that program.',
      cause,
    });
  }
  if (cause.code === 'EACCES') {
    return new AppError('FORBIDDEN', `Port ${port} may not be opened by this user.`, { field: 'port', cause });
  }
  return new AppError('VALIDATION_ERROR', `${host} is not an address of this machine that can be listened on.`, {
    field: 'host',
    cause,
  });
}
