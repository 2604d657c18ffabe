import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay, withJitter } from '../../lib/backoff.ts';
import { readEvents } from '../../lib/event-parser.ts';
import type { HttpClient } from './http-client.ts';
import { asNoise, messagesIn } from './protocol.ts';
import { discard, isEventStream } from './response-body.ts';
import { type TransportReceiver, UpstreamFailure } from './upstream.ts';

/** A request that is being answered over HTTP. */
export interface Exchange {
  readonly id: number;
  readonly stop: AbortController;
  isAnswered: boolean;
  /** The last event of its stream. */
  eventId?: string;
  /** How long the server wants us to wait before the stream is continued. */
  retryMs?: number;
}

interface StreamParts {
  maxMessageBytes: number;
  receiver(): TransportReceiver | undefined;
}

interface Following {
  client: HttpClient;
  headers(): Record<string, string>;
  onSessionLost(): void;
  signal: AbortSignal;
}

const LONGEST_RETRY_MS = 30_000;
const RETRY = { firstMs: 1_000, longestMs: LONGEST_RETRY_MS };
/** A stream that is still open so long after its answer is closed; until then its connection may be used again. */
const LINGER_MS = 1_000;

/** Reads the messages in the bodies of a server's responses. */
export function createMessageStreams({ maxMessageBytes, receiver }: StreamParts) {
  /** Delivers what a text contains, which may be a batch. */
  function take(text: string, exchange?: Exchange): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // Reported below, like JSON that is no message.
    }
    const messages = messagesIn(value);
    if (messages.length === 0) receiver()?.onNoise(asNoise(text));
    for (const message of messages) {
      if (exchange && message.id === exchange.id && message.method === undefined) exchange.isAnswered = true;
      receiver()?.onMessage(message, exchange?.id);
    }
  }

  /** Reads the stream of a request, until it ends or breaks. */
  async function read(response: IncomingMessage, exchange: Exchange): Promise<void> {
    let linger: NodeJS.Timeout | undefined;
    const endSoon = () => {
      if (exchange.isAnswered) linger ??= setTimeout(() => response.destroy(), LINGER_MS);
    };
    const reading = readEvents(response, {
      maxBytes: maxMessageBytes,
      onEvent({ type, data }) {
        // A server begins with an event without data, for its id.
        if (type === 'message' && data !== '') take(data, exchange);
        endSoon();
      },
      onTooLarge(id) {
        // An unknown message in the stream of a request is most likely its answer.
        if (id === null || id === exchange.id) exchange.isAnswered = true;
        receiver()?.onTooLarge(id ?? exchange.id);
        endSoon();
      },
      onId(id) {
        exchange.eventId = id;
      },
      onRetry(milliseconds) {
        exchange.retryMs = Math.min(milliseconds, LONGEST_RETRY_MS);
      },
    });
    try {
      await reading;
    } finally {
      clearTimeout(linger);
    }
  }

  /** Reads what a server sends by itself, as long as the session lives. Many servers have no such stream. */
  async function follow({ client, headers, onSessionLost, signal }: Following): Promise<void> {
    let eventId: string | undefined;
    let retryMs = 0;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        const resume = eventId === undefined ? {} : { 'last-event-id': eventId };
        const accept = { accept: 'text/event-stream' };
        const response = await client.exchange({
          method: 'GET',
          headers: { ...accept, ...headers(), ...resume },
          signal,
        });
        const { statusCode = 0 } = response;
        const isStream = statusCode === 200 && isEventStream(response);
        if (!isStream) discard(response);
        if (statusCode === 404 && headers()['mcp-session-id'] !== undefined) return void onSessionLost();
        if (!isStream && statusCode < 500 && statusCode !== 429) return;
        if (isStream) {
          await readEvents(response, {
            maxBytes: maxMessageBytes,
            onEvent({ type, data }) {
              failures = 1;
              if (type === 'message' && data !== '') take(data);
            },
            onTooLarge: (id) => receiver()?.onTooLarge(id),
            onId(id) {
              eventId = id;
            },
            onRetry(milliseconds) {
              retryMs = Math.min(milliseconds, LONGEST_RETRY_MS);
            },
          });
        }
      } catch (thrown) {
        // A connection that broke is established again. Requests report missing credentials.
        if (thrown instanceof UpstreamFailure && thrown.kind === 'unauthorized') return;
      }
      const delay = Math.max(retryMs, withJitter(backoffDelay(failures, RETRY)));
      await sleep(delay, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  return { take, read, follow };
}
