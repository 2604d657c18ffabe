import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../domain/errors.ts';
import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import { jsonLine } from '../lib/json-line.ts';
import { createWakeup } from '../lib/wakeup.ts';
import { answer } from './answers.ts';

export interface EventsParts {
  events: EventLog;
  /** Takes every secret the program knows out of what leaves. */
  maskDeep<T>(value: T): T;
  keepAliveMs?: number;
}

/** Whether a reader may be told of an event. */
type MayFollow = (event: StoredEvent) => boolean;

/** Read from the log at once: what a reader who is slow makes us hold is never more than this. */
const PAGE = 100;
const KEEP_ALIVE_MS = 15_000;

const EVENT_STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** The event log as server-sent events. Each reader reads the log at its own pace, from the number it saw last. */
export function createEvents({ events, maskDeep, keepAliveMs = KEEP_ALIVE_MS }: EventsParts) {
  const closing = new AbortController();
  const readers = new Set<Promise<void>>();

  async function follow(
    response: ServerResponse,
    from: number,
    types: readonly string[] | undefined,
    mayFollow: MayFollow,
  ): Promise<void> {
    const filter = { limit: PAGE, ...(types === undefined ? {} : { types }) };
    const over = AbortSignal.any([closing.signal, leaving(response)]);
    const news = createWakeup();
    const stopListening = events.listen(news.wake);
    over.addEventListener('abort', news.wake);
    if (over.aborted) news.wake();
    try {
      for (let seen = from; !over.aborted; ) {
        const { last } = await events.range();
        const page = await events.read(seen, filter);
        // Asked afterwards: what was forgotten while we read is missing too.
        const { first } = await events.range();
        const next = page[0]?.number ?? first;
        if (seen > last || (seen < first - 1 && next > seen + 1)) {
          const resumed = seen > last ? last : Math.min(first, next) - 1;
          await write(response, gapFrame(seen, resumed), over);
          seen = resumed;
        }
        for (const event of page) {
          if (mayFollow(event)) await write(response, frame(maskDeep(event)), over);
        }
        // A page that is not full has looked at everything up to what was the newest number.
        seen = Math.max(page.at(-1)?.number ?? seen, page.length < PAGE ? last : seen);
        if (page.length < PAGE && !(await news.wait(keepAliveMs))) {
          // With the number, so that who comes back need not ask again for what was not for them.
          await write(response, `: keep-alive\nid: ${seen}\n\n`, over);
        }
      }
    } finally {
      stopListening();
      response.end();
    }
  }

  return {
    async stream(request: IncomingMessage, response: ServerResponse, url: URL, mayFollow: MayFollow): Promise<void> {
      if (request.method !== 'GET') {
        const error = new AppError('NOT_FOUND', 'This address does not take this method.');
        return answer(response, 405, { error }, { allow: 'GET' });
      }
      const after = numberIn('Last-Event-ID', request.headers['last-event-id']) ?? numberIn('after', afterOf(url));
      const from = after ?? (await events.range()).last;
      response.writeHead(200, EVENT_STREAM).flushHeaders();
      const reader = follow(response, from, typesOf(url), mayFollow);
      readers.add(reader);
      await reader.finally(() => readers.delete(reader));
    },
    /** Ends every stream between two events. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.allSettled(readers);
    },
  };
}

/** Resolves when there is room for more; once it is over, nothing more is written and nothing waited for. */
async function write(response: ServerResponse, text: string, over: AbortSignal): Promise<void> {
  if (over.aborted || response.write(text)) return;
  await once(response, 'drain', { signal: over }).catch(() => {});
}

function leaving(response: ServerResponse): AbortSignal {
  const left = new AbortController();
  if (response.closed) left.abort();
  response.once('close', () => left.abort());
  return left.signal;
}

function frame(event: StoredEvent): string {
  return `id: ${event.number}\ndata: ${jsonLine(JSON.stringify(event))}\n\n`;
}

/** What stood between the two is not here any more, or never was: whoever keeps a copy reads it anew. */
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
