import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createFixtureRegistry } from '../conformance/fixture-registry.ts';
import { OWNER_TOKEN, serveFixture } from '../conformance/serve.ts';
import { postStateless } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';

const AUTHORIZED = { authorization: `Bearer ${OWNER_TOKEN}` };
const META = 'io.modelcontextprotocol';

describe('an invalid request without a session is answered with our own error text', () => {
  let served: Awaited<ReturnType<typeof serveFixture>>;
  before(async () => {
    served = await serveFixture(createFixtureRegistry().registry);
  });
  after(() => served.close());

  const wrong = {
    'name must be a string.': ['tools/call', { name: 5 }],
    'name is required.': ['tools/call', {}],
    'arguments must be an object.': ['tools/call', { name: 'test_simple_text', arguments: [1] }],
  } as const;
  for (const [words, [method, params]] of Object.entries(wrong)) {
    test(`${method}: ${words}`, async () => {
      const { messages } = await postStateless(`${served.url}/mcp`, request(method, stateless(params)), AUTHORIZED);

      assert.partialDeepStrictEqual(messages, [
        { error: { code: -32602, message: words, data: { code: 'VALIDATION_ERROR' } } },
      ]);
    });
  }

  const envelopes = {
    'that is not an object': { [`${META}/clientCapabilities`]: 5 },
    'with an invalid capability': { [`${META}/clientCapabilities`]: { roots: 5 } },
    'that is missing': { [`${META}/clientCapabilities`]: undefined },
    'that is a string': { [`${META}/clientInfo`]: 'a test' },
    'that is not a log level': { [`${META}/logLevel`]: 'loud' },
  };
  for (const [what, meta] of Object.entries(envelopes)) {
    const [key = ''] = Object.keys(meta);
    test(`${key} ${what}`, async () => {
      const { _meta } = stateless();
      const message = request('tools/list', { _meta: { ..._meta, ...meta } });

      const { status, messages } = await postStateless(`${served.url}/mcp`, message, AUTHORIZED);

      const [{ error } = {}] = messages;
      assert.deepEqual([status, error?.code, error?.data?.code], [400, -32602, 'VALIDATION_ERROR']);
      assert.match(
        error?.message ?? '',
        /^Invalid params: _meta\["\S+"\] is (required|not what the protocol asks for)\.$/,
      );
      assert.ok(error?.message.includes(key));
    });
  }
});
