import type { ServerResponse } from 'node:http';
import { jsonLine } from '../lib/json-line.ts';

/** Events retained for a client that reconnects with the last id it received, and their length in characters. */
const KEPT = 200;
const KEPT_LENGTH = 4 * 1024 * 1024;
const KEEP_ALIVE_MS = 15_000;

/** A client with more unread bytes is disconnected; it can reconnect with the last id it received. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** A stream of server-sent events that outlives the response it is written to. */
export function createEventStream(id: string) {
  const events: { number: number; frame: string }[] = [];
  /** Characters of all events. */
  let length = 0;
  let number = 0;
  /** The newest event that was written to a client. */
  let delivered = 0;
  let response: ServerResponse | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  let ended = false;
  /** Resolvers of writers that wait for a reader. */
  let waiting: (() => void)[] = [];

  function wake(): void {
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  function detach(): void {
    clearInterval(keepAlive);
    response = undefined;
  }

  return {
    id,
    get attached() {
      return response !== undefined;
    },
    /** Whether events after this one, or after the last one delivered, are no longer kept. */
    hasGapAfter(seen = delivered): boolean {
      const [oldest] = events;
      return oldest !== undefined && oldest.number > seen + 1;
    },
    /** Resolves when a client reads and its buffer has space, or the stream has ended. */
    async ready(): Promise<void> {
      while (!ended && (!response || response.writableNeedDrain)) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    /** `json` is a serialized message. */
    push(json: string): void {
      number += 1;
      const frame = `event: message\nid: ${id}-${number}\ndata: ${jsonLine(json)}\n\n`;
      events.push({ number, frame });
      length += frame.length;
      while (events.length > KEPT || (events.length > 1 && length > KEPT_LENGTH))
        length -= events.shift()?.frame.length ?? 0;
      if (!response) return;
      response.write(frame);
      delivered = number;
      if (response.writableLength <= MAX_UNREAD_BYTES) return;
      response.destroy();
      detach();
    },
    /**
     * Writes to this response from now on, starting after the last event the client received, or after those
     * delivered.
     */
    attach(to: ServerResponse, headers: Record<string, string>, seen = delivered): void {
      // A closed response emits no `close` any more.
      if (to.closed) return;
      response?.end();
      detach();
      to.writeHead(200, { ...EVENT_STREAM, ...headers });
      to.flushHeaders();
      for (const event of events) if (event.number > seen) to.write(event.frame);
      delivered = number;
      if (ended) {
        to.end();
        return;
      }
      response = to;
      // To a client that does not read, this would count as activity.
      keepAlive = setInterval(() => to.writableLength === 0 && to.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
      keepAlive.unref();
      to.on('drain', wake);
      to.once('close', () => {
        if (response === to) detach();
      });
      wake();
    },
    end(): void {
      ended = true;
      response?.end();
      detach();
      wake();
    },
  };
}

export type EventStream = ReturnType<typeof createEventStream>;

const EVENT_STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** The stream and the event number in one of our event ids. */
export function parseEventId(eventId: string): { stream: string; seen: number } | undefined {
  const [, stream, number] = /^(.+)-(\d{1,15})$/.exec(eventId) ?? [];
  return stream === undefined ? undefined : { stream, seen: Number(number) };
}
