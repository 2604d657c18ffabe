import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createFixtureRegistry } from '../conformance/fixture-registry.ts';
import { WATCHED } from '../conformance/fixture-resources.ts';
import { OWNER_TOKEN, openMemoryStore, serveFixture } from '../conformance/serve.ts';
import { openSession, openStream, post } from '../support/mcp/rpc-http.ts';
import { initializeParams, notification, request } from '../support/mcp/rpc-message.ts';
import { createSlowTool } from '../support/mcp/slow-tool.ts';

const AUTHORIZED = { authorization: `Bearer ${OWNER_TOKEN}` };

async function serve(context: TestContext) {
  const slow = createSlowTool();
  const fixture = createFixtureRegistry([slow.entry]);
  const served = await serveFixture(fixture.registry);
  context.after(async () => {
    slow.release();
    await served.close();
  });
  return { slow, ...fixture, url: `${served.url}/mcp` };
}

const changed = (number: number) => ({ uri: WATCHED, fields: {}, data: { what: `change ${number}` }, number });

describe('the stream of a session', () => {
  test('events that occurred without a stream are delivered once, when one is opened', async (context) => {
    const { url, touch } = await serve(context);
    const session = await openSession(url, AUTHORIZED);
    await session.call('resources/subscribe', { uri: WATCHED });
    touch(changed(1));

    const first = await session.listen();
    await first.messages.notified('notifications/resources/updated');
    const second = await session.listen();
    touch(changed(2));
    const update = await second.messages.notified('notifications/resources/updated');

    assert.partialDeepStrictEqual(update.params, { _meta: { 'switchboard/event': { number: 2 } } });
    assert.equal(first.messages.all.length, 1);
    second.close();
  });

  test('a client that lost its stream resumes after the last event it saw', async (context) => {
    const { url, touch } = await serve(context);
    const session = await openSession(url, AUTHORIZED);
    await session.call('resources/subscribe', { uri: WATCHED });
    for (const number of [1, 2, 3]) touch(changed(number));
    const lost = await session.listen();
    await lost.messages.notified('notifications/resources/updated');
    lost.close();
    await lost.ended;

    const resumed = await session.listen({ 'last-event-id': 's0-1' });
    const updates = [
      await resumed.messages.notified('notifications/resources/updated'),
      await resumed.messages.notified('notifications/resources/updated'),
    ];

    assert.partialDeepStrictEqual(updates, [
      { params: { _meta: { 'switchboard/event': { number: 2 } } } },
      { params: { _meta: { 'switchboard/event': { number: 3 } } } },
    ]);
    resumed.close();
  });

  test('an unknown stream cannot be resumed', async (context) => {
    const { url } = await serve(context);
    const session = await openSession(url, AUTHORIZED);

    const stream = await session.listen({ 'last-event-id': 's99-1' });

    assert.equal(stream.status, 404);
  });
});

describe('a request of a session', () => {
  test('that is cancelled gets no answer, but its HTTP request ends', async (context) => {
    const { url, slow } = await serve(context);
    const session = await openSession(url, AUTHORIZED);
    const message = request('tools/call', { name: 'wait', arguments: {} });
    const running = session.post(message);
    await slow.begun(1);

    await session.post(notification('notifications/cancelled', { requestId: message.id }));
    const answer = await running;

    assert.deepEqual(answer.messages, []);
    assert.equal(slow.aborted(), 1);
  });

  test('with an id that is in use is refused, and the first request is answered', async (context) => {
    const { url, slow } = await serve(context);
    const session = await openSession(url, AUTHORIZED);
    const message = request('tools/call', { name: 'wait', arguments: {} });
    const running = session.post(message);
    await slow.begun(1);

    const refused = await session.post(message);
    slow.release();

    assert.equal(refused.status, 400);
    assert.partialDeepStrictEqual(refused.messages, [{ id: message.id, error: { code: -32600 } }]);
    assert.partialDeepStrictEqual((await running).messages, [{ id: message.id, result: {} }]);
  });

  test('in a batch is answered in a batch', async (context) => {
    const { url } = await serve(context);
    const session = await openSession(url, AUTHORIZED, '2025-03-26');

    const answer = await session.post([
      request('ping', {}, 'a'),
      notification('notifications/x'),
      request('ping', {}, 'b'),
    ]);

    assert.match(answer.body, /^\[/);
    assert.deepEqual(answer.messages.map(({ id }) => id).sort(), ['a', 'b']);
  });

  test('is refused before a session was created', async (context) => {
    const { url } = await serve(context);

    const answer = await post(url, request('tools/list'), AUTHORIZED);

    assert.equal(answer.status, 400);
    assert.match(answer.messages[0]?.error?.message ?? '', /initialize first/);
  });
});

describe('a session whose server was restarted', () => {
  test('keeps its subscriptions and its log level', async (context) => {
    const store = await openMemoryStore();
    context.after(() => store.close());
    const { registry, touch } = createFixtureRegistry();
    const earlier = await serveFixture(registry, {}, store);
    const session = await openSession(`${earlier.url}/mcp`, AUTHORIZED);
    await session.call('resources/subscribe', { uri: WATCHED });
    await session.call('logging/setLevel', { level: 'error' });
    await earlier.close();

    const later = await serveFixture(registry, {}, store);
    context.after(() => later.close());
    const stream = await openStream(`${later.url}/mcp`, { headers: session.headers });
    touch(changed(1));
    const update = await stream.messages.notified('notifications/resources/updated');
    const logging = request('tools/call', { name: 'test_tool_with_logging', arguments: {} });
    const { messages } = await post(`${later.url}/mcp`, logging, session.headers);

    assert.equal(update.params?.uri, WATCHED);
    assert.deepEqual(
      messages.map(({ id, method }) => id ?? method),
      [logging.id],
    );
    stream.close();
  });
});

describe('a client that may have missed events is notified without event data', () => {
  test('a client that resumes with an event id of an earlier process', async (context) => {
    const store = await openMemoryStore();
    context.after(() => store.close());
    const { registry } = createFixtureRegistry();
    const earlier = await serveFixture(registry, {}, store);
    const session = await openSession(`${earlier.url}/mcp`, AUTHORIZED);
    await session.call('resources/subscribe', { uri: WATCHED });
    await earlier.close();

    const later = await serveFixture(registry, {}, store);
    context.after(() => later.close());
    // Higher than any number that the later process has assigned.
    const headers = { ...session.headers, 'last-event-id': 's0-7' };
    const stream = await openStream(`${later.url}/mcp`, { headers });
    const update = await stream.messages.notified('notifications/resources/updated');

    assert.deepEqual(update.params, { uri: WATCHED });
    stream.close();
  });

  test('a client that was disconnected for longer than events are kept', async (context) => {
    const { url, touch } = await serve(context);
    const session = await openSession(url, AUTHORIZED);
    await session.call('resources/subscribe', { uri: WATCHED });
    for (let number = 1; number <= 205; number += 1) touch(changed(number));

    const stream = await session.listen();
    let last = await stream.messages.notified('notifications/resources/updated');
    while (last.params?._meta) last = await stream.messages.notified('notifications/resources/updated');

    assert.deepEqual(last.params, { uri: WATCHED });
    stream.close();
  });

  test('but a stream of a request that an earlier process answered cannot be resumed', async (context) => {
    const store = await openMemoryStore();
    context.after(() => store.close());
    const { registry } = createFixtureRegistry();
    const earlier = await serveFixture(registry, {}, store);
    const session = await openSession(`${earlier.url}/mcp`, AUTHORIZED);
    await earlier.close();

    const later = await serveFixture(registry, {}, store);
    context.after(() => later.close());
    const headers = { ...session.headers, 'last-event-id': 's1-1' };

    assert.equal((await openStream(`${later.url}/mcp`, { headers })).status, 404);
  });
});

describe('the start and end of a session', () => {
  test('a refused initialize creates no session', async (context) => {
    const { url } = await serve(context);

    const refused = await post(url, request('initialize', { protocolVersion: 7 }), AUTHORIZED);

    assert.equal(refused.headers.get('mcp-session-id'), null);
    assert.partialDeepStrictEqual(refused.messages, [{ error: { code: -32602 } }]);
  });

  test('CORE-04 a second initialize is refused and the session continues', async (context) => {
    const { url } = await serve(context);
    const session = await openSession(url, AUTHORIZED);

    const second = await session.call('initialize', initializeParams('2025-11-25'));

    assert.partialDeepStrictEqual(second, { error: { code: -32600, data: { code: 'CONFLICT' } } });
    assert.deepEqual((await session.call('ping')).result, {});
  });

  test('deleting a session does not wait for its running requests', async (context) => {
    const { url, slow } = await serve(context);
    const session = await openSession(url, AUTHORIZED);
    const message = request('tools/call', { name: 'wait', arguments: {} });
    const running = session.post(message);
    await slow.begun(1);

    const deleted = await session.close();
    const answer = await running;

    assert.equal(deleted.status, 204);
    assert.equal(slow.aborted(), 1);
    assert.partialDeepStrictEqual(answer.messages, [{ id: message.id, error: { data: { code: 'CONFLICT' } } }]);
  });

  test('a deleted session no longer exists', async (context) => {
    const { url } = await serve(context);
    const session = await openSession(url, AUTHORIZED);

    const deleted = await session.close();
    const afterwards = await session.post(request('ping'));

    assert.equal(deleted.status, 204);
    assert.equal(afterwards.status, 404);
  });
});
