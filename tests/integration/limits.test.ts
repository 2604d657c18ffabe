import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import type { Limits } from '../../src/mcp/limits.ts';
import { createFixtureRegistry } from '../conformance/fixture-registry.ts';
import { OWNER_TOKEN, serveFixture } from '../conformance/serve.ts';
import { serveFixtureStreams } from '../support/mcp/fixture-streams.ts';
import { openSession, post, postStateless } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { createSlowTool } from '../support/mcp/slow-tool.ts';

const AUTHORIZED = { authorization: `Bearer ${OWNER_TOKEN}` };
const WAIT = { name: 'wait', arguments: {} };

async function onHttp(context: TestContext, lowered: Partial<Limits> & { connectTimeoutMs?: number }) {
  const slow = createSlowTool();
  const served = await serveFixture(createFixtureRegistry([slow.entry]).registry, lowered);
  context.after(async () => {
    slow.release();
    await served.close();
  });
  return { slow, url: `${served.url}/mcp` };
}

async function onStreams(context: TestContext, lowered: Partial<Limits>) {
  const slow = createSlowTool();
  const served = await serveFixtureStreams(createFixtureRegistry([slow.entry]).registry, lowered);
  context.after(async () => {
    slow.release();
    await served.close();
  });
  return { slow, ...served };
}

describe('concurrent requests', () => {
  test('CHAT-33 on stdio one more than allowed is refused as busy, and later requests are accepted again', async (context) => {
    const { client, slow } = await onStreams(context, { maxConcurrent: 3 });
    await client.initialize();
    const running = [1, 2, 3].map(() => client.call('tools/call', WAIT));
    await slow.begun(3);

    const refused = await client.call('tools/call', WAIT);
    slow.release();
    const answers = await Promise.all(running);
    const next = await client.call('ping');

    assert.partialDeepStrictEqual(refused, { error: { code: -32000, data: { code: 'BUSY' } } });
    assert.match(refused.error?.message ?? '', /^3 requests .* limit/);
    assert.ok(answers.every((answer) => answer.result));
    assert.deepEqual(next.result, {});
  });

  test('CHAT-33 in a session on HTTP one more than allowed gets 429 with Retry-After', async (context) => {
    const { url, slow } = await onHttp(context, { maxConcurrent: 3 });
    const session = await openSession(url, AUTHORIZED);
    const running = [1, 2, 3].map(() => session.call('tools/call', WAIT));
    await slow.begun(3);

    const refused = await session.post(request('tools/call', WAIT));
    slow.release();
    const answers = await Promise.all(running);

    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.partialDeepStrictEqual(refused.messages, [{ error: { code: -32000, data: { code: 'BUSY' } } }]);
    assert.ok(answers.every((answer) => answer.result));
    assert.deepEqual((await session.call('ping')).result, {});
  });

  test('CHAT-33 without sessions one more than allowed gets 429 with an error code of that protocol version', async (context) => {
    const { url, slow } = await onHttp(context, { maxConcurrent: 2 });
    const call = () => postStateless(url, request('tools/call', stateless(WAIT)), AUTHORIZED);
    const running = [call(), call()];
    await slow.begun(2);

    const refused = await call();
    slow.release();
    const answers = await Promise.all(running);

    assert.equal(refused.status, 429);
    assert.partialDeepStrictEqual(refused.messages, [{ error: { code: -32603, data: { code: 'BUSY' } } }]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
  });

  test('CHAT-33 all connections together have a limit, too', async (context) => {
    const { url, slow } = await onHttp(context, { maxConcurrentTotal: 2 });
    const [first, second] = await Promise.all([openSession(url, AUTHORIZED), openSession(url, AUTHORIZED)]);
    const running = [first.call('tools/call', WAIT), second.call('tools/call', WAIT)];
    await slow.begun(2);

    const refused = await first.post(request('ping'));
    slow.release();
    await Promise.all(running);

    assert.partialDeepStrictEqual(refused.messages, [{ error: { data: { code: 'BUSY' } } }]);
  });
});

// A whole request may take five seconds longer than the call inside it, so these run concurrently.
describe('timeouts', { concurrency: true }, () => {
  test('CHAT-33 on stdio a request that exceeds the timeout is aborted and answered', async (context) => {
    const { client, slow } = await onStreams(context, { requestTimeoutMs: 1 });
    await client.initialize();

    const answer = await client.call('tools/call', WAIT);

    assert.partialDeepStrictEqual(answer, { error: { code: -32000, data: { code: 'TIMEOUT' } } });
    assert.equal(slow.aborted(), 1);
    assert.deepEqual((await client.call('ping')).result, {});
  });

  test('CHAT-33 in a session on HTTP a request that exceeds the timeout is aborted and answered', async (context) => {
    const { url, slow } = await onHttp(context, { requestTimeoutMs: 1 });
    const session = await openSession(url, AUTHORIZED);

    const answer = await session.call('tools/call', WAIT);

    assert.partialDeepStrictEqual(answer, { error: { code: -32000, data: { code: 'TIMEOUT' } } });
    assert.equal(slow.aborted(), 1);
  });

  test('CHAT-33 without sessions a request that exceeds the timeout is aborted and answered', async (context) => {
    const { url, slow } = await onHttp(context, { requestTimeoutMs: 1 });
    const message = request('tools/call', stateless(WAIT));

    const answer = await postStateless(url, message, AUTHORIZED);

    assert.partialDeepStrictEqual(answer.messages, [
      { id: message.id, error: { code: -32603, data: { code: 'TIMEOUT' } } },
    ]);
    assert.equal(slow.aborted(), 1);
  });

  test('CHAT-33 an idle connection is closed after the connect timeout', async (context) => {
    const { url } = await onHttp(context, { connectTimeoutMs: 400 });
    const socket = connect(Number(new URL(url).port), '127.0.0.1').resume();

    await once(socket, 'close');

    assert.equal(socket.destroyed, true);
  });
});

describe('size', () => {
  test('a body over the limit gets 413, and the next request is served', async (context) => {
    const { url } = await onHttp(context, { maxLineBytes: 1_000 });

    const refused = await post(url, request('ping', { padding: 'x'.repeat(1_000) }), AUTHORIZED);
    const session = await openSession(url, AUTHORIZED);

    assert.equal(refused.status, 413);
    assert.partialDeepStrictEqual(refused.messages, [{ error: { code: -32600 } }]);
    assert.deepEqual((await session.call('ping')).result, {});
  });
});
