import type { ServerResponse } from 'node:http';
import { jsonLine } from '../lib/json-line.ts';

/** Events kept for a client that lost its connection and comes back with the last id it saw. */
const KEPT = 200;
const KEEP_ALIVE_MS = 15_000;

/** A client that leaves more unread is cut off; it can come back with the last id it saw. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** A stream of server-sent events that outlives the response it is written to. */
export function createEventStream(id: string) {
  let events: { number: number; frame: string }[] = [];
  let number = 0;
  /** The newest event that went to somebody. */
  let delivered = 0;
  let response: ServerResponse | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  let ended = false;
  /** Those who wait for somebody to read. */
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
    /** Whether somebody who saw this event last, or whoever was there last, cannot be told all that came after it. */
    hasGapAfter(seen = delivered): boolean {
      const [oldest] = events;
      return oldest !== undefined && oldest.number > seen + 1;
    },
    /** Resolves when somebody reads and has read most of what was written, or nobody ever will. */
    async ready(): Promise<void> {
      while (!ended && (!response || response.writableNeedDrain)) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    /** `json` is a message that has been written down already. */
    push(json: string): void {
      number += 1;
      const frame = `event: message\nid: ${id}-${number}\ndata: ${jsonLine(json)}\n\n`;
      events.push({ number, frame });
      if (events.length > KEPT) events = events.slice(-KEPT);
      if (!response) return;
      response.write(frame);
      delivered = number;
      if (response.writableLength <= MAX_UNREAD_BYTES) return;
      response.destroy();
      detach();
    },
    /** Writes to this response from now on, beginning after the event the client saw last, or after those that went out. */
    attach(to: ServerResponse, headers: Record<string, string>, seen = delivered): void {
      // Nobody would ever tell us again that it left.
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
      keepAlive = setInterval(() => to.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
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
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** The stream and the number in an event id we gave. */
export function parseEventId(eventId: string): { stream: string; seen: number } | undefined {
  const [, stream, number] = /^(.+)-(\d{1,15})$/.exec(eventId) ?? [];
  return stream === undefined ? undefined : { stream, seen: Number(number) };
}
