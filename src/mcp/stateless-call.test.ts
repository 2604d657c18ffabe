import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { createFixtureRegistry } from '../../tests/conformance/fixture-registry.ts';
import { openDoorParts } from '../../tests/conformance/serve.ts';
import { openHttpDoor } from '../../tests/support/http/door.ts';
import { postStateless } from '../../tests/support/mcp/rpc-http.ts';
import { request, stateless } from '../../tests/support/mcp/rpc-message.ts';
import { createSlowTool } from '../../tests/support/mcp/slow-tool.ts';
import { smallOffer } from '../../tests/support/mcp/small-offer.ts';
import { createMcpHttp } from './http.ts';
import type { Registry } from './registry.ts';

const small = smallOffer().registry;
const fixture = createFixtureRegistry().registry;

describe('a stateless call is answered without the SDK as with it', () => {
  const calls: [string, Registry, { name: string; arguments?: object }][] = [
    ['a call', small, { name: 'echo', arguments: { value: 'x', times: 2 } }],
    ['a call with wrong arguments', small, { name: 'echo', arguments: { times: 7 } }],
    ['a call that fails', small, { name: 'fail', arguments: { how: 'gently' } }],
    ['a call with a bug', small, { name: 'fail', arguments: { how: 'badly' } }],
    ['a tool that does not exist', small, { name: 'constructor' }],
    ...['test_simple_text', 'test_image_content', 'test_audio_content', 'test_multiple_content_types'].map(
      (name): [string, Registry, { name: string }] => [name, fixture, { name }],
    ),
  ];
  for (const [title, registry, params] of calls) {
    test(title, async (context) => {
      const url = await serve(context, registry);
      const message = request('tools/call', stateless(params), 'a');

      const direct = await postStateless(url, message);
      const bySdk = await postStateless(url, message, { 'mcp-name': encoded(params.name) });

      assert.equal(direct.status, bySdk.status);
      assert.deepEqual(direct.messages, bySdk.messages);
      assert.equal(direct.headers.get('content-type'), bySdk.headers.get('content-type'));
    });
  }

  test('with its reports of progress, as a stream', async (context) => {
    const url = await serve(context, small);
    const params = stateless({ name: 'fail', arguments: { how: 'gently' } });
    const message = request('tools/call', { ...params, _meta: { ...params._meta, progressToken: 'p' } }, 1);

    const direct = await postStateless(url, message);
    const bySdk = await postStateless(url, message, { 'mcp-name': encoded('fail') });

    assert.equal(direct.messages.length, 2);
    assert.deepEqual(direct.messages, bySdk.messages);
    assert.equal(direct.headers.get('content-type'), bySdk.headers.get('content-type'));
  });

  test('headers that do not repeat the body are refused', async (context) => {
    const url = await serve(context, small);
    const message = request('tools/call', stateless({ name: 'echo', arguments: { value: 1 } }), 1);

    for (const headers of [{ 'mcp-name': 'fail' }, { 'mcp-method': 'tools/list' }]) {
      const { status, messages } = await postStateless(url, message, headers);

      assert.equal(status, 400);
      assert.partialDeepStrictEqual(messages, [{ id: 1, error: { code: -32020 } }]);
    }
  });
});

describe('a stateless list is answered without the SDK as with it', () => {
  const lists: [string, Registry, string, object?][] = [
    ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].flatMap(
      (method): [string, Registry, string][] => [
        [`${method} of a small offer`, small, method],
        [`${method} of a large offer`, fixture, method],
      ],
    ),
    ['a wrong cursor', small, 'tools/list', { cursor: 'x' }],
    ['a cursor that is no text', small, 'tools/list', { cursor: 1 }],
  ];
  for (const [title, registry, method, params = {}] of lists) {
    test(title, async (context) => {
      const url = await serve(context, registry);
      const message = request(method, stateless(params), 'a');

      const direct = await postStateless(url, message);
      const bySdk = await postStateless(url, request(method, stateless({ ...params, other: 1 }), 'a'));

      assert.equal(direct.status, bySdk.status);
      assert.deepEqual(direct.messages, bySdk.messages);
      assert.equal(direct.headers.get('content-type'), bySdk.headers.get('content-type'));
    });
  }
});

describe('a stateless call', () => {
  test('is cancelled when its client disconnects', async (context) => {
    const slow = createSlowTool();
    const url = await serve(context, createFixtureRegistry([slow.entry]).registry);
    const disconnect = new AbortController();
    const answer = postStateless(url, request('tools/call', stateless({ name: 'wait' })), {}, disconnect.signal);
    await slow.begun(1);

    disconnect.abort();
    await assert.rejects(answer);
    while (slow.aborted() === 0) await new Promise((resolve) => setImmediate(resolve));

    assert.equal(slow.aborted(), 1);
  });
});

/** The SDK decodes it; the fast path leaves it to the SDK. */
function encoded(name: string): string {
  return `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

async function serve(context: TestContext, registry: Registry): Promise<string> {
  const { parts, close } = await openDoorParts({});
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
  return `${url}/mcp`;
}
