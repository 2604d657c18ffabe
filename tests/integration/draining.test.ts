import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createFixtureRegistry } from '../conformance/fixture-registry.ts';
import { OWNER_TOKEN, serveFixture } from '../conformance/serve.ts';
import { serveFixtureStreams } from '../support/mcp/fixture-streams.ts';
import { openSession, openStream, postStateless, standardHeaders } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { createSlowTool } from '../support/mcp/slow-tool.ts';

const AUTHORIZED = { authorization: `Bearer ${OWNER_TOKEN}` };
const WAIT = { name: 'wait', arguments: {} };

async function onStreams(context: TestContext) {
  const slow = createSlowTool();
  const served = await serveFixtureStreams(createFixtureRegistry([slow.entry]).registry);
  context.after(async () => {
    slow.release();
    await served.close();
  });
  return { slow, ...served };
}

async function onHttp() {
  const slow = createSlowTool();
  const served = await serveFixture(createFixtureRegistry([slow.entry]).registry);
  return { slow, url: `${served.url}/mcp`, close: () => served.close() };
}

describe('stdio', () => {
  test('CHAT-03 when stopped, requests in flight are answered and new requests are refused', async (context) => {
    const { client, slow, over, stop, sessions } = await onStreams(context);
    await client.initialize();
    const running = client.call('tools/call', WAIT);
    await slow.begun(1);

    stop();
    slow.release();
    await over;

    assert.partialDeepStrictEqual(await running, { result: { content: [{ text: 'done' }] } });
    assert.partialDeepStrictEqual(await sessions.list(), [{ state: 'closed', closedBecause: 'shutdown' }]);
  });

  test('CHAT-03 at the end of input, requests in flight are answered', async (context) => {
    const { client, slow, over, sessions } = await onStreams(context);
    await client.initialize();
    const running = client.call('tools/call', WAIT);
    client.end();
    await slow.begun(1);

    slow.release();
    await over;

    assert.partialDeepStrictEqual(await running, { result: { content: [{ text: 'done' }] } });
    assert.partialDeepStrictEqual(await sessions.list(), [{ state: 'closed', closedBecause: 'client' }]);
  });

  test('CORE-02 shutdown is answered after all requests in flight, and ends the session', async (context) => {
    const { client, slow, over, sessions } = await onStreams(context);
    await client.initialize();
    const running = client.call('tools/call', WAIT);
    await slow.begun(1);
    const shutdown = client.call('shutdown');
    const refused = await client.call('tools/list');

    slow.release();
    await over;

    assert.partialDeepStrictEqual(refused, { error: { code: -32000, data: { code: 'SERVICE_UNAVAILABLE' } } });
    assert.deepEqual((await shutdown).result, {});
    assert.ok((await running).result);
    assert.equal(client.messages.all.at(-1)?.id, (await shutdown).id);
    assert.partialDeepStrictEqual(await sessions.list(), [{ state: 'closed', closedBecause: 'shutdown' }]);
  });

  test('CHAT-03 without sessions, subscriptions end with a final result', async (context) => {
    const { client, over, stop } = await onStreams(context);
    const listen = request('subscriptions/listen', stateless({ notifications: { toolsListChanged: true } }));
    client.send(listen);
    await client.messages.notified('notifications/subscriptions/acknowledged');

    stop();
    await over;

    const answer = await client.messages.answerTo(listen.id);
    assert.ok(answer.result, 'the empty result that ends a subscription');
  });
});

describe('HTTP', () => {
  test('CHAT-03 requests in flight in a session are answered before the server closes', async () => {
    const { url, slow, close } = await onHttp();
    const session = await openSession(url, AUTHORIZED);
    const running = session.call('tools/call', WAIT);
    await slow.begun(1);

    const closed = close();
    slow.release();

    assert.partialDeepStrictEqual(await running, { result: { content: [{ text: 'done' }] } });
    await closed;
  });

  test('CHAT-03 requests in flight without a session are answered before the server closes', async () => {
    const { url, slow, close } = await onHttp();
    const running = postStateless(url, request('tools/call', stateless(WAIT)), AUTHORIZED);
    await slow.begun(1);

    const closed = close();
    slow.release();

    assert.partialDeepStrictEqual((await running).messages, [{ result: { content: [{ text: 'done' }] } }]);
    await closed;
  });

  test('CHAT-03 event streams end, so that the server can close', async () => {
    const { url, close } = await onHttp();
    const session = await openSession(url, AUTHORIZED);
    const standalone = await session.listen();
    const message = request('subscriptions/listen', stateless({ notifications: { toolsListChanged: true } }));
    const listening = await openStream(url, { message, headers: { ...AUTHORIZED, ...standardHeaders(message) } });
    await listening.messages.notified('notifications/subscriptions/acknowledged');
    const oldest = await openStream(url.replace('/mcp', '/sse'), { headers: AUTHORIZED });

    await close();
    await Promise.all([standalone.ended, listening.ended, oldest.ended]);

    assert.ok((await listening.messages.answerTo(message.id)).result);
  });
});
