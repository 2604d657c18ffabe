import type { JsonObject } from '../../domain/json.ts';
import { readEvents, type ServerEvent } from '../../lib/event-parser.ts';
import { createHttpClient, type RemoteOptions } from './http-client.ts';
import { brokenStream, statusFailure } from './http-failures.ts';
import { createMessageStreams } from './message-streams.ts';
import { DEFAULT_MAX_MESSAGE_BYTES } from './protocol.ts';
import { discard, isEventStream } from './response-body.ts';
import { type TransportReceiver, UpstreamFailure, type UpstreamTransport } from './upstream.ts';

/** HTTP with server-sent events, the transport of 2024-11-05: one stream for all that the server sends, POST for the rest. */
export function createSseTransport(options: RemoteOptions): UpstreamTransport {
  const { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES } = options;
  const client = createHttpClient(options);
  const stop = new AbortController();
  /** Where messages are posted to; the server says it first. */
  const endpoint = Promise.withResolvers<URL>();
  endpoint.promise.catch(() => {});
  let receiver: TransportReceiver | undefined;
  let version: string | undefined;
  const streams = createMessageStreams({ maxMessageBytes, receiver: () => receiver });

  async function listen(): Promise<void> {
    const headers = { accept: 'text/event-stream' };
    const response = await client.exchange({ method: 'GET', headers, signal: stop.signal });
    const { statusCode = 0 } = response;
    if (statusCode !== 200 || !isEventStream(response)) {
      discard(response);
      throw statusFailure(statusCode);
    }
    await readEvents(response, {
      maxBytes: maxMessageBytes,
      onEvent,
      onTooLarge: (id) => receiver?.onTooLarge(id),
    }).catch(() => {});
    throw brokenStream();
  }

  function onEvent({ type, data }: ServerEvent): void {
    if (type === 'message') return streams.take(data);
    if (type !== 'endpoint') return;
    const url = URL.canParse(data, client.base.href) ? new URL(data, client.base) : undefined;
    if (url?.origin === client.base.origin) return endpoint.resolve(url);
    shut(
      new UpstreamFailure('protocol', 'The server names another host for messages, which may not get its credentials.'),
    );
  }

  function shut(cause?: UpstreamFailure): void {
    if (stop.signal.aborted) return;
    stop.abort();
    endpoint.reject(cause ?? brokenStream());
    receiver?.onClosed(cause);
    client.close();
  }

  return {
    open(to) {
      receiver = to;
      listen().catch((failure: UpstreamFailure) => shut(failure));
    },
    async send(message: JsonObject) {
      const url = await endpoint.promise;
      const response = await client.exchange({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
        },
        body: JSON.stringify(message),
        signal: stop.signal,
      });
      discard(response);
      const { statusCode = 0 } = response;
      if (statusCode >= 300) throw statusFailure(statusCode);
    },
    began(_, negotiated) {
      version = negotiated;
    },
    async close() {
      shut();
    },
  };
}
