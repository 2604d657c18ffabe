import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import { AppError } from '../domain/errors.ts';
import type { CloseReason, Session } from '../domain/session.ts';
import { randomHex } from '../lib/chance.ts';
import { setFrequentTimeout } from '../lib/frequent-timeout.ts';
import type { RequestId } from '../lib/id-scanner.ts';
import { responseWritten } from '../lib/response-written.ts';
import type { Settle } from '../operation.ts';
import { type ClientAccess, type DoorParts, openConnection } from './connection.ts';
import { createEventStream, type EventStream, parseEventId } from './event-stream.ts';
import { sendText } from './http-answers.ts';

/** A request that runs longer than this is answered as a stream, so that no proxy times out. */
const STREAM_AFTER_MS = 10_000;

/** Finished streams kept for clients that did not receive the answer. */
const FINISHED_KEPT = 20;

/** How the id of the standalone stream ends, in every process. It carries what belongs to no request. */
const STANDALONE = 's0';

type Answer = Extract<JSONRPCMessage, { result: unknown } | { error: unknown }>;

/** The requests of one POST and their answers. */
interface Exchange {
  waiting: Set<RequestId>;
  /** Serialized immediately: serializing must fail while the request is still running. */
  answers: string[];
  busy: boolean;
  batch: boolean;
  response: ServerResponse;
  acceptsStream: boolean;
  timer: NodeJS.Timeout;
  stream?: EventStream;
}

/** One session of Streamable HTTP: many requests on one connection. */
export function openHttpSession(parts: DoorParts, options: ClientAccess & { restored?: Session; onShutdown(): void }) {
  const exchanges = new Map<RequestId, Exchange>();
  // Stream ids of an earlier process must not be used again.
  const generation = options.restored ? randomHex(8) : '';
  const standalone = createEventStream(`${generation}${STANDALONE}`);
  const streams = new Map<string, EventStream>([[standalone.id, standalone]]);
  let streamCount = 0;
  let lastUsed = parts.clock.now();
  const connection = openConnection(parts, {
    ...options,
    transport: 'http',
    write: async (message, related, settle) => write(message, related, settle),
    ready: standalone.ready,
    onCancelled: cancel,
  });

  function write(message: JSONRPCMessage, related?: TransportSendOptions, settleAnswer?: Settle): void {
    if (!('method' in message)) return answer(message, settleAnswer);
    const exchange = related?.relatedRequestId === undefined ? undefined : exchanges.get(related.relatedRequestId);
    if (!exchange) return standalone.push(JSON.stringify(message));
    if (exchange.acceptsStream) asStream(exchange).push(JSON.stringify(message));
    else if ('id' in message) throw new AppError('CONFLICT', 'The client accepts no stream, so it cannot be asked.');
  }

  function answer(message: Answer, settleAnswer?: Settle): void {
    const exchange = message.id === undefined ? undefined : exchanges.get(message.id);
    if (!exchange || message.id === undefined) return settleAnswer?.(false);
    const json = JSON.stringify(message);
    if (settleAnswer) void responseWritten(exchange.response).then(settleAnswer);
    if (exchange.stream) exchange.stream.push(json);
    else exchange.answers.push(json);
    exchange.busy ||= isBusy(message);
    settle(message.id, exchange);
  }

  /** A cancelled request gets no answer, but the POST that waits for it must end. */
  function cancel(id: RequestId): void {
    const exchange = exchanges.get(id);
    if (exchange) settle(id, exchange);
  }

  function settle(id: RequestId, exchange: Exchange): void {
    exchanges.delete(id);
    exchange.waiting.delete(id);
    if (exchange.waiting.size === 0) finish(exchange);
  }

  function finish(exchange: Exchange): void {
    clearTimeout(exchange.timer);
    lastUsed = parts.clock.now();
    if (exchange.stream) return exchange.stream.end();
    const [only] = exchange.answers;
    if (!only) return void exchange.response.writeHead(202, sessionHeader()).end();
    const json = exchange.batch ? `[${exchange.answers.join(',')}]` : only;
    sendText(exchange.response, exchange.busy && !exchange.batch ? 429 : 200, json, sessionHeader());
  }

  function asStream(exchange: Exchange): EventStream {
    if (exchange.stream) return exchange.stream;
    streamCount += 1;
    const stream = createEventStream(`${generation}s${streamCount}`);
    streams.set(stream.id, stream);
    const [oldest] = [...streams.keys()].slice(1);
    if (streams.size > FINISHED_KEPT && oldest !== undefined) streams.delete(oldest);
    exchange.stream = stream;
    stream.attach(exchange.response, sessionHeader());
    for (const early of exchange.answers) stream.push(early);
    return stream;
  }

  function sessionHeader(): Record<string, string> {
    const id = connection.session.current()?.id;
    return id === undefined ? {} : { 'mcp-session-id': id };
  }

  return {
    principal: options.principal,
    connection,
    session: () => connection.session.current(),
    idleSince: () => (exchanges.size > 0 || standalone.attached ? parts.clock.now() : lastUsed),

    post(value: unknown, requests: readonly RequestId[], request: IncomingMessage, response: ServerResponse): void {
      lastUsed = parts.clock.now();
      if (requests.length === 0) {
        connection.wire.receive(value);
        response.writeHead(202).end();
        return;
      }
      const exchange: Exchange = {
        waiting: new Set(requests),
        answers: [],
        busy: false,
        batch: Array.isArray(value),
        response,
        acceptsStream: accepts(request, 'text/event-stream'),
        timer: setFrequentTimeout(() => exchange.acceptsStream && asStream(exchange), STREAM_AFTER_MS),
      };
      exchange.timer.unref();
      for (const id of requests) exchanges.set(id, exchange);
      connection.wire.receive(value);
    },

    /** The client opens the standalone stream, or resumes a stream. */
    listen(request: IncomingMessage, response: ServerResponse): boolean {
      lastUsed = parts.clock.now();
      connection.session.used();
      const lastEvent = request.headers['last-event-id'];
      const from = typeof lastEvent === 'string' ? parseEventId(lastEvent) : undefined;
      const known = from && streams.get(from.stream);
      const stream = known ?? (!from || from.stream.endsWith(STANDALONE) ? standalone : undefined);
      const seen = known ? from.seen : undefined;
      if (stream === standalone && standalone.hasGapAfter(seen)) connection.repeatUpdates();
      stream?.attach(response, sessionHeader(), seen);
      return stream !== undefined;
    },

    /** Ids of running requests; with the same id twice, one of the two would never be answered. */
    inUse: (id: RequestId) => exchanges.has(id),

    async close(reason: CloseReason): Promise<void> {
      await connection.close(reason);
      for (const stream of streams.values()) stream.end();
    },

    /** The process ends but the session does not: it continues in a later process. */
    async suspend(): Promise<void> {
      await connection.suspend();
      for (const stream of streams.values()) stream.end();
    },
  };
}

export type HttpSession = ReturnType<typeof openHttpSession>;

export function accepts(request: IncomingMessage, type: string): boolean {
  const accept = request.headers.accept ?? '*/*';
  return accept.includes(type) || accept.includes('*/*');
}

function isBusy(answer: Answer): boolean {
  if (!('error' in answer)) return false;
  return (answer.error.data as { code?: string } | undefined)?.code === 'BUSY';
}
