import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { openHttpDoor, rawRequest } from '../../tests/support/http/door.ts';
import { readSse } from '../../tests/support/http/sse-reader.ts';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { openStore } from '../../tests/support/store/open-store.ts';
import type { EventLog, NewEvent, StoredEvent } from '../domain/event-log.ts';
import { createEvents } from './events.ts';

const DAY = 86_400_000;

describe('a stream of events', () => {
  test('starts with the next event, each with its number and as it is stored', async (context) => {
    const { log, url, append } = await serve(context);
    await append(3);
    const reader = await readSse(context, url);

    const stored = await append(2);

    assert.equal(reader.status, 200);
    assert.equal(reader.headers['content-type'], 'text/event-stream');
    assert.deepEqual(
      await reader.take(2),
      stored.map((event) => ({ id: String(event.number), type: 'message', data: event })),
    );
    assert.equal((await log.range()).last, 5);
  });

  test('resumes after the number received last, in the header or in the query', async (context) => {
    const { url, append } = await serve(context);
    await append(6);

    const byHeader = await readSse(context, `${url}?after=1`, { 'last-event-id': '4' });
    const byAddress = await readSse(context, `${url}?after=3`);
    const fromTheBeginning = await readSse(context, `${url}?after=0`);

    assert.deepEqual(ids(await byHeader.take(2)), [5, 6]);
    assert.deepEqual(ids(await byAddress.take(3)), [4, 5, 6]);
    assert.deepEqual(ids(await fromTheBeginning.take(6)), [1, 2, 3, 4, 5, 6]);
  });

  test('skips events that the client may not see', async (context) => {
    const { url, append } = await serve(context, { mayFollow: ({ type }) => type !== 'message.received' });
    await append(150, 'message.received');
    const reader = await readSse(context, `${url}?after=0`);

    await append(1);
    await append(1, 'message.received');
    await append(1);

    assert.deepEqual(ids(await reader.take(2)), [151, 153]);
  });

  test('has no gap and no duplicate, however often its client reconnects while events are written', async (context) => {
    const { url, append } = await serve(context);
    const seen: number[] = [];
    const writing = (async () => {
      for (let round = 0; round < 60; round += 1) await append(7);
    })();

    while (seen.length < 420) {
      const reader = await readSse(context, `${url}?after=${seen.at(-1) ?? 0}`);
      seen.push(...ids(await reader.take(Math.min(60, 420 - seen.length))));
      reader.leave();
    }
    await writing;

    assert.deepEqual(seen, numbers(1, 420));
  });

  test('sends only the requested types, matched exactly or by prefix', async (context) => {
    const { url, log } = await serve(context);
    const reader = await readSse(context, `${url}?types=session.,message.sent&types=a.b`);

    await log.append(['session.created', 'message.received', 'message.sent', 'sessions.x', 'a.b', 'a.bc'].map(event));
    await log.append([event('session.closed')]);

    const types = (await reader.take(4)).map(({ data }) => (data as StoredEvent).type);
    assert.deepEqual(types, ['session.created', 'message.sent', 'a.b', 'session.closed']);
  });

  test('sends keep-alive comments with the current number', async (context) => {
    const { url, append } = await serve(context, { keepAliveMs: 5 });
    const reader = await readSse(context, `${url}?types=session.`);

    await append(3, 'message.received');
    while (reader.lastId() !== '3') await reader.keptAlive();

    assert.equal(reader.lastId(), '3');
  });

  test('never contains a secret', async (context) => {
    const { url, log } = await serve(context, { maskDeep: (value) => hide(value) });
    const reader = await readSse(context, url);

    await log.append([{ ...event('a.b'), data: { text: 'the word is hunter2' } }]);

    assert.doesNotMatch(JSON.stringify(await reader.next()), /hunter2/);
  });

  test('ends when the server closes, even for a client that does not read', async (context) => {
    const { url, append, close } = await serve(context);
    const reader = await readSse(context, url);
    const idle = request(`${url}?after=0`).end();
    context.after(() => idle.destroy());
    const [unread] = await once(idle, 'response');
    await append(400, 'large', 'x'.repeat(20_000));

    await close();

    while (await reader.next());
    assert.equal(unread.statusCode, 200);
  });
});

describe('a client that has missed events', () => {
  test('gets a gap event if the requested events were pruned', async (context) => {
    const { url, append, log, clock } = await serve(context);
    await append(5);
    clock.advance(DAY);
    await append(2);
    await log.prune(clock.now());

    const reader = await readSse(context, url, { 'last-event-id': '2' });

    const [gap, ...rest] = await reader.take(3);
    assert.deepEqual(gap, { id: '5', type: 'gap', data: { after: 2, resumed_after: 5 } });
    assert.deepEqual(ids(rest), [6, 7]);
  });

  test('gets no gap event if only received events were pruned', async (context) => {
    const { url, append, log, clock } = await serve(context);
    await append(5);
    clock.advance(DAY);
    await log.prune(clock.now());

    const reader = await readSse(context, url, { 'last-event-id': '5' });
    await append(1);

    assert.deepEqual(ids(await reader.take(1)), [6]);
  });

  test('gets a gap event if its number is of another log', async (context) => {
    const { url, append } = await serve(context);
    await append(2);
    const reader = await readSse(context, url, { 'last-event-id': '900' });

    const [gap] = await reader.take(1);
    await append(1);

    assert.deepEqual(gap, { id: '2', type: 'gap', data: { after: 900, resumed_after: 2 } });
    assert.deepEqual(ids(await reader.take(1)), [3]);
  });
});

test('a client that does not read pauses the reading of the log', async (context) => {
  const { url, append, reads } = await serve(context);
  await append(1_000, 'large', 'x'.repeat(20_000));
  const idle = request(`${url}?after=0`).end();
  context.after(() => idle.destroy());
  await once(idle, 'response');

  // Other clients are still served: only this client's stream waits.
  const other = await readSse(context, `${url}?after=990`);

  assert.deepEqual(ids(await other.take(10)), numbers(991, 1_000));
  assert.ok(reads() < 8, `${reads()} pages were read`);
});

describe('a request with an invalid number or method', () => {
  for (const value of ['-1', '1.5', 'x', '1e3', '99999999999999999']) {
    test(`is refused: ${value}`, async (context) => {
      const { url } = await serve(context);

      const { status, text } = await rawRequest(url, { path: `/api/v1/events?after=${value}` });

      assert.equal(status, 400);
      assert.partialDeepStrictEqual(JSON.parse(text), { error: { code: 'VALIDATION_ERROR', field: 'after' } });
    });
  }

  test('is refused with the allowed method', async (context) => {
    const { url } = await serve(context);

    const { status, headers } = await rawRequest(url, { method: 'POST', path: '/api/v1/events' });

    assert.equal(status, 405);
    assert.equal(headers.allow, 'GET');
  });
});

interface Served {
  keepAliveMs?: number;
  maskDeep?<T>(value: T): T;
  mayFollow?(event: StoredEvent): boolean;
}

async function serve(context: TestContext, { mayFollow = () => true, ...parts }: Served = {}) {
  const clock = manualClock();
  const store = await openStore({ url: 'sqlite::memory:', home: '/nowhere', clock, log: silentLog });
  const read = context.mock.method(store.events, 'read');
  const events = createEvents({ events: store.events, maskDeep: (value) => value, ...parts });
  // Closing the server waits for open streams.
  context.after(() => events.close());
  const door = await openHttpDoor(context, {
    rest: (request, response, url) =>
      events.stream(request, response, url, { mayFollow, noteDelivery: async () => {} }),
  });
  context.after(() => store.close());
  return {
    log: store.events as EventLog,
    clock,
    url: `${door.url}/api/v1/events`,
    reads: () => read.mock.callCount(),
    close: events.close,
    append: (count: number, type = 'session.created', text = '') =>
      store.events.append(Array.from({ length: count }, () => ({ ...event(type), data: { text } }))),
  };
}

function event(type: string): NewEvent {
  return { type, subject: 's', data: {} };
}

function ids(events: readonly { id: string | undefined }[]): number[] {
  return events.map(({ id }) => Number(id));
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function hide<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('hunter2', '***')) as T;
}
