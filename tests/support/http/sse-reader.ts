import { request } from 'node:http';
import type { TestContext } from 'node:test';

export interface SseEvent {
  id: string | undefined;
  type: string;
  data: unknown;
}

/** Reads server-sent events as a browser does; the connection is closed when the test ends. */
export async function readSse(context: TestContext, url: string, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const sent = request(url, { headers: { accept: 'text/event-stream', ...headers } }, resolve);
  sent.once('error', reject).end();
  const response = await promise;
  context.after(() => sent.destroy());
  const blocks = blocksOf(response);
  let lastId: string | undefined;

  async function nextBlock(): Promise<{ comment: boolean; event: SseEvent | undefined } | undefined> {
    const { value, done } = await blocks.next();
    if (done) return undefined;
    const fields = new Map<string, string>();
    for (const line of value.split('\n')) fields.set(line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: ?/, ''));
    lastId = fields.get('id') ?? lastId;
    const data = fields.get('data');
    const event =
      data === undefined
        ? undefined
        : { id: fields.get('id'), type: fields.get('event') ?? 'message', data: JSON.parse(data) };
    return { comment: fields.has(''), event };
  }

  /** The next event; undefined when the stream has ended. */
  async function next(): Promise<SseEvent | undefined> {
    for (;;) {
      const block = await nextBlock();
      if (!block || block.event) return block?.event;
    }
  }

  return {
    status: response.statusCode,
    headers: response.headers,
    next,
    async take(count: number): Promise<SseEvent[]> {
      const events: SseEvent[] = [];
      for (let left = count; left > 0; left -= 1) {
        const event = await next();
        if (!event) throw new Error(`The stream ended after ${events.length} events.`);
        events.push(event);
      }
      return events;
    },
    /** Resolves at the next comment, which a stream sends as a keep-alive. */
    async keptAlive(): Promise<void> {
      while (!(await nextBlock())?.comment);
    },
    lastId: () => lastId,
    leave: () => void sent.destroy(),
  };
}

async function* blocksOf(response: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response) {
    const blocks = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n\n');
    rest = blocks.pop() ?? '';
    yield* blocks;
  }
}
