import type { ServerResponse } from 'node:http';

/** Events kept for a client that lost its connection and comes back with the last id it saw. */
const KEPT = 200;
const KEEP_ALIVE_MS = 15_000;

/** A stream of server-sent events that outlives the response it is written to. */
export function createEventStream(id: string) {
  let events: { number: number; frame: string }[] = [];
  let number = 0;
  /** The newest event that went to somebody. */
  let delivered = 0;
  let response: ServerResponse | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  let ended = false;

  function detach(): void {
    clearInterval(keepAlive);
    response = undefined;
  }

  return {
    id,
    get attached() {
      return response !== undefined;
    },
    push(message: unknown): void {
      number += 1;
      const frame = `event: message\nid: ${id}-${number}\ndata: ${JSON.stringify(message)}\n\n`;
      events.push({ number, frame });
      if (events.length > KEPT) events = events.slice(-KEPT);
      if (!response) return;
      response.write(frame);
      delivered = number;
    },
    /** Writes to this response from now on, beginning after the event the client saw last, or after those that went out. */
    attach(to: ServerResponse, headers: Record<string, string>, seen = delivered): void {
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
      to.once('close', () => {
        if (response === to) detach();
      });
    },
    end(): void {
      ended = true;
      response?.end();
      detach();
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
  const at = eventId.lastIndexOf('-');
  const seen = Number(eventId.slice(at + 1));
  return at > 0 && Number.isSafeInteger(seen) ? { stream: eventId.slice(0, at), seen } : undefined;
}
