import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../domain/errors.ts';
import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import { jsonLine } from '../lib/json-line.ts';
import { createWakeup } from '../lib/wakeup.ts';
import { sendJson } from './responses.ts';

export interface EventsParts {
  events: EventLog;
  /** Replaces all known secrets in outgoing events. */
  maskDeep<T>(value: T): T;
  keepAliveMs?: number;
}

/** The client of a stream. */
export interface Follower {
  /** Whether it may receive an event. */
  mayFollow(event: StoredEvent): boolean;
  /** Called before an event is sent to it. */
  noteDelivery(event: StoredEvent): Promise<void>;
}

/** Events per read. It bounds the memory that a slow client can occupy. */
const PAGE_SIZE = 100;
const KEEP_ALIVE_MS = 15_000;

const EVENT_STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * The event log as server-sent events. Each client reads at its own pace, from the number of the last event it
 * received.
 */
export function createEvents({ events, maskDeep, keepAliveMs = KEEP_ALIVE_MS }: EventsParts) {
  const closing = new AbortController();
  const streams = new Set<Promise<void>>();

  async function streamTo(
    response: ServerResponse,
    from: number,
    types: readonly string[] | undefined,
    follower: Follower,
  ): Promise<void> {
    const filter = { limit: PAGE_SIZE, ...(types === undefined ? {} : { types }) };
    const ended = AbortSignal.any([closing.signal, closedSignal(response)]);
    const wakeup = createWakeup();
    const stopListening = events.listen(wakeup.wake);
    ended.addEventListener('abort', wakeup.wake);
    if (ended.aborted) wakeup.wake();
    try {
      for (let seen = from; !ended.aborted; ) {
        const { last } = await events.range();
        const page = await events.read(seen, filter);
        // Read again, because events may have been pruned in the meantime.
        const { first } = await events.range();
        const next = page[0]?.number ?? first;
        if (seen > last || (seen < first - 1 && next > seen + 1)) {
          const resumed = seen > last ? last : Math.min(first, next) - 1;
          await write(response, gapFrame(seen, resumed), ended);
          seen = resumed;
        }
        for (const event of page) {
          if (!follower.mayFollow(event)) continue;
          await follower.noteDelivery(event);
          await write(response, frame(maskDeep(event)), ended);
        }
        // A page that is not full covers everything up to `last`.
        seen = Math.max(page.at(-1)?.number ?? seen, page.length < PAGE_SIZE ? last : seen);
        if (page.length < PAGE_SIZE && !(await wakeup.wait(keepAliveMs))) {
          // Includes the number, so that a client that reconnects does not read the filtered events again.
          await write(response, `: keep-alive\nid: ${seen}\n\n`, ended);
        }
      }
    } finally {
      stopListening();
      response.end();
    }
  }

  return {
    async stream(request: IncomingMessage, response: ServerResponse, url: URL, follower: Follower): Promise<void> {
      if (request.method !== 'GET') {
        const error = new AppError('NOT_FOUND', 'Method not allowed.');
        return sendJson(response, 405, { error }, { allow: 'GET' });
      }
      const after = numberIn('Last-Event-ID', request.headers['last-event-id']) ?? numberIn('after', afterOf(url));
      const from = after ?? (await events.range()).last;
      response.writeHead(200, EVENT_STREAM).flushHeaders();
      const stream = streamTo(response, from, typesOf(url), follower);
      streams.add(stream);
      await stream.finally(() => streams.delete(stream));
    },
    /** Ends all streams between two events. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.allSettled(streams);
    },
  };
}

/** Resolves when the response can take more. Writes nothing once the stream has ended. */
async function write(response: ServerResponse, text: string, ended: AbortSignal): Promise<void> {
  if (ended.aborted || response.write(text)) return;
  await once(response, 'drain', { signal: ended }).catch(() => {});
}

function closedSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (response.closed) closed.abort();
  response.once('close', () => closed.abort());
  return closed.signal;
}

function frame(event: StoredEvent): string {
  return `id: ${event.number}\ndata: ${jsonLine(JSON.stringify(event))}\n\n`;
}

/** Reports that the events between the two numbers are missing: a client that keeps a copy must read it again. */
function gapFrame(after: number, resumed: number): string {
  return `id: ${resumed}\nevent: gap\ndata: ${JSON.stringify({ after, resumed_after: resumed })}\n\n`;
}

function afterOf(url: URL): string | undefined {
  return url.searchParams.get('after') ?? undefined;
}

function numberIn(field: string, text: string | string[] | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError('VALIDATION_ERROR', `${field} must be the number of an event.`, { field });
}

function typesOf({ searchParams }: URL): string[] | undefined {
  const types = searchParams.getAll('types').flatMap((list) => list.split(',').filter((type) => type !== ''));
  return types.length === 0 ? undefined : types;
}
