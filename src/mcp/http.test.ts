import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createFixtureRegistry } from '../../tests/conformance/fixture-registry.ts';
import { openDoorParts } from '../../tests/conformance/serve.ts';
import { openHttpDoor, rawRequest } from '../../tests/support/http/door.ts';
import { openSession, post, postStateless } from '../../tests/support/mcp/rpc-http.ts';
import { initializeParams, request, stateless } from '../../tests/support/mcp/rpc-message.ts';
import { createMcpHttp } from './http.ts';

const LIMIT = 10_000;

describe('a broken request on HTTP', () => {
  test('is refused with its id, so that its client does not wait', async (context) => {
    const { url } = await serve(context);
    const session = await openSession(url);
    const broken = [
      { jsonrpc: '2.0', id: 7, method: 'tools/list', params: [] },
      { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: 5 } },
      { jsonrpc: '1.0', id: 7, method: 'tools/list' },
      { jsonrpc: '2.0', id: 7, method: 5 },
      { jsonrpc: '2.0', id: 7 },
    ];

    for (const message of broken) {
      const { status, messages } = await session.post(message);

      assert.equal(status, 400);
      assert.partialDeepStrictEqual(messages, [{ id: 7, error: {} }]);
    }
  });

  test('AGENT-14 without any JSON is a parse error', async (context) => {
    const { url } = await serve(context);

    for (const body of ['{', 'nonsense', '', '\ufeff{}']) {
      const { status, messages } = await post(url, body);

      assert.equal(status, 400);
      assert.partialDeepStrictEqual(messages, [{ id: null, error: { code: -32700 } }]);
    }
  });

  test('over the limit is refused as too large, and one of another type as unsupported', async (context) => {
    const { url } = await serve(context);

    assert.equal((await post(url, 'x'.repeat(LIMIT + 1))).status, 413);
    assert.equal((await post(url, request('ping'), { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await post(url, request('ping'), { 'content-type': 'application/jsonx' })).status, 415);
  });

  test('in a batch that is empty, too long or contains initialize is refused as a whole', async (context) => {
    const { url } = await serve(context);
    const session = await openSession(url);
    const initialize = request('initialize', initializeParams('2025-03-26'));

    assert.equal((await session.post([])).status, 400);
    assert.equal((await session.post(Array.from({ length: 101 }, () => request('ping')))).status, 400);
    assert.equal((await post(url, [initialize, request('ping')])).status, 400);
    assert.equal((await session.post([request('ping', {}, 1), request('ping', {}, 1)])).status, 400);
    assert.equal((await session.post([request('ping'), request('ping')])).messages.length, 2);
  });
});

describe('a request on HTTP', () => {
  test('of the stateless protocol is answered for any form of its path', async (context) => {
    const { url, origin } = await serve(context);
    const message = request('tools/list', stateless());
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    };

    for (const path of ['/mcp', url, '/mcp?x=1', '/mcp#x', '//localhost/mcp']) {
      const { status } = await rawRequest(origin, { method: 'POST', path, headers, body: JSON.stringify(message) });

      assert.equal(status, 200, path);
    }
  });

  test('with an unknown method is refused with the allowed ones', async (context) => {
    const { origin } = await serve(context);

    const { status, headers } = await rawRequest(origin, { method: 'PUT', path: '/mcp' });

    assert.equal(status, 405);
    assert.equal(headers.allow, 'GET, POST, DELETE');
  });

  test('that listens to something that is not a list of texts is refused with its id', async (context) => {
    const { url } = await serve(context);
    const notifications = { resourceSubscriptions: [{ toString: 1 }] };
    const message = request('subscriptions/listen', stateless({ notifications }), 9);

    const { status, messages } = await postStateless(url, message);

    assert.equal(status, 400);
    assert.partialDeepStrictEqual(messages, [{ id: 9, error: { code: -32602 } }]);
  });
});

async function serve(context: TestContext) {
  const { registry } = createFixtureRegistry();
  const { parts, close } = await openDoorParts({ maxLineBytes: LIMIT });
  const mcp = createMcpHttp({ ...parts, sessionIdleMs: 60_000, maxSessions: 10, maxSessionsPerToken: 10 });
  const { url } = await openHttpDoor(
    context,
    { mcp: (incoming, response, principal) => mcp.handle(incoming, response, { registry, principal, only: [] }) },
    {},
    async () => {
      await mcp.close();
      await close();
    },
  );
  return { url: `${url}/mcp`, origin: url };
}
