import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { isJsonMediaType } from '../../lib/json-media-type.ts';
import { statelessHeaders } from '../../lib/stateless-headers.ts';
import { createHttpClient, type RemoteOptions } from './http-client.ts';
import { brokenStream, statusFailure } from './http-failures.ts';
import { createMessageStreams, type Exchange } from './message-streams.ts';
import { asObject, DEFAULT_MAX_MESSAGE_BYTES, META } from './protocol.ts';
import { discard, isEventStream, readText } from './response-body.ts';
import { type TransportReceiver, UpstreamFailure, type UpstreamTransport } from './upstream.ts';

const POST_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const GOODBYE_MS = 2_000;
/** Of the body of an error. */
const MAX_ERROR_BYTES = 64 * 1024;
/** How often a stream that broke is continued without anything new arriving. */
const MAX_RESUMES = 5;

/** Streamable HTTP, with sessions or without. */
export function createHttpTransport(options: RemoteOptions): UpstreamTransport {
  const { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES } = options;
  const client = createHttpClient(options);
  const running = new Map<number, Exchange>();
  const stop = new AbortController();
  let receiver: TransportReceiver | undefined;
  let session: string | undefined;
  let version: string | undefined;
  const streams = createMessageStreams({ maxMessageBytes, receiver: () => receiver });

  function sessionHeaders(): Record<string, string> {
    return {
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    };
  }

  function headersOf(message: JsonObject): Record<string, string> {
    const claim = asObject(asObject(message.params)._meta)[META.version];
    if (typeof claim === 'string') return { ...POST_HEADERS, ...statelessHeaders(message, claim) };
    return { ...POST_HEADERS, ...sessionHeaders() };
  }

  async function send(message: JsonObject): Promise<void> {
    const id = typeof message.method === 'string' && typeof message.id === 'number' ? message.id : undefined;
    if (id === undefined) return deliver(message);
    const exchange: Exchange = { id, stop: new AbortController(), isAnswered: false };
    running.set(id, exchange);
    try {
      await ask(message, exchange);
    } catch (thrown) {
      if (thrown instanceof UpstreamFailure) throw thrown;
      throw brokenStream();
    } finally {
      running.delete(id);
    }
  }

  /** A notification, or an answer to the server. */
  async function deliver(message: JsonObject): Promise<void> {
    const body = JSON.stringify(message);
    const headers = headersOf(message);
    const response = await client.exchange({ method: 'POST', headers, body, signal: stop.signal });
    discard(response);
    const { statusCode = 0 } = response;
    if (statusCode === 404 && headers['mcp-session-id'] !== undefined) throw loseSession();
    if (statusCode >= 300) throw statusFailure(statusCode);
    if (message.method === 'notifications/initialized') followServer();
  }

  async function ask(message: JsonObject, exchange: Exchange): Promise<void> {
    const headers = headersOf(message);
    const { signal } = exchange.stop;
    const response = await client.exchange({ method: 'POST', headers, body: JSON.stringify(message), signal });
    const { statusCode = 0, headers: received } = response;
    if (statusCode === 404 && headers['mcp-session-id'] !== undefined) {
      discard(response);
      throw loseSession();
    }
    if (statusCode !== 200) return refused(response, exchange);
    const given = received['mcp-session-id'];
    if (message.method === 'initialize' && typeof given === 'string') session = given;
    if (isEventStream(response)) return readAnswer(response, exchange);
    if (!isJsonMediaType(received['content-type'])) {
      response.destroy();
      throw new UpstreamFailure('protocol', 'The server answered with something else than JSON.', { status: 200 });
    }
    const text = await readText(response, maxMessageBytes);
    if (text === undefined) return receiver?.onTooLarge(exchange.id);
    streams.take(text, exchange);
    if (!exchange.isAnswered) throw new UpstreamFailure('protocol', 'The server answered without an answer.');
  }

  /** An error of the protocol has a status, too. Whatever id it has, it is about this request. */
  async function refused(response: IncomingMessage, { id }: Exchange): Promise<void> {
    const { statusCode = 0 } = response;
    const isJson = isJsonMediaType(response.headers['content-type']);
    if (!isJson) discard(response);
    const value = isJson ? parsed(await readText(response, MAX_ERROR_BYTES)) : undefined;
    if (!isRecord(value) || !isRecord(value.error) || !Number.isInteger(value.error.code)) {
      throw statusFailure(statusCode);
    }
    receiver?.onMessage({ jsonrpc: '2.0', id, error: value.error as JsonObject }, id);
  }

  async function readAnswer(first: IncomingMessage, exchange: Exchange): Promise<void> {
    let response: IncomingMessage | undefined = first;
    let latest: string | undefined;
    for (let resumes = 0; ; resumes++) {
      await (response && streams.read(response, exchange).catch(() => {}));
      if (exchange.isAnswered || exchange.stop.signal.aborted) return;
      const { eventId, retryMs = 1_000 } = exchange;
      if (eventId !== latest) resumes = 0;
      latest = eventId;
      if (eventId === undefined || resumes === MAX_RESUMES) throw brokenStream();
      await sleep(retryMs * (resumes + 1), undefined, { signal: exchange.stop.signal });
      response = await resumed(eventId, exchange.stop.signal);
    }
  }

  /** Nothing where the server could not be reached, which may be different soon. */
  async function resumed(eventId: string, signal: AbortSignal): Promise<IncomingMessage | undefined> {
    const headers = { accept: 'text/event-stream', ...sessionHeaders(), 'last-event-id': eventId };
    const response = await client.exchange({ method: 'GET', headers, signal }).catch(() => undefined);
    if (!response || (response.statusCode === 200 && isEventStream(response))) return response;
    discard(response);
    throw response.statusCode === 404 && session !== undefined ? loseSession() : brokenStream();
  }

  function followServer(): void {
    void streams.follow({ client, headers: sessionHeaders, onSessionLost: loseSession, signal: stop.signal });
  }

  function loseSession(): UpstreamFailure {
    const failure = new UpstreamFailure('closed', 'The server has ended the session.', { status: 404 });
    session = undefined;
    shut(failure);
    return failure;
  }

  function shut(cause?: UpstreamFailure): void {
    if (stop.signal.aborted) return;
    stop.abort();
    receiver?.onClosed(cause);
    for (const exchange of running.values()) exchange.stop.abort();
  }

  return {
    open(to) {
      receiver = to;
    },
    send,
    drop: (id) => running.get(id)?.stop.abort(),
    hasSession: () => session !== undefined,
    began(era, negotiated) {
      if (era === 'sessions') version = negotiated;
    },
    async close() {
      shut();
      if (session !== undefined) {
        const signal = AbortSignal.timeout(GOODBYE_MS);
        const goodbye = client.exchange({ method: 'DELETE', headers: sessionHeaders(), signal });
        await goodbye.then(discard).catch(() => {});
      }
      client.close();
    },
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
