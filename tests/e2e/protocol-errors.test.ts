import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { startHttp, startStdio } from '../support/mcp/mcp-program.ts';
import { openSession, post, postStateless } from '../support/mcp/rpc-http.ts';
import { notification, request, stateless } from '../support/mcp/rpc-message.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

/** Five megabytes: over the limit of four. */
const PADDING = 'x'.repeat(5 * 1024 * 1024);

async function startReady(context: TestContext, env: Record<string, string> = {}) {
  homes += 1;
  const program = startStdio({ home: join(folder, `home-${homes}`), env });
  context.after(() => program.stop());
  await program.initialize();
  return program;
}

/** The failures, the requests that cause them, and the error codes on 2024-11-05, in later sessions and without one. */
const FAILURES = [
  { what: 'an unknown method', method: 'nobody/knows', params: {}, legacy: -32601, modern: -32601, status: 404 },
  {
    what: 'an unknown tool',
    method: 'tools/call',
    params: { name: 'nope' },
    oldest: -32001,
    legacy: -32602,
    modern: -32602,
  },
  {
    what: 'an unknown resource',
    method: 'resources/read',
    params: { uri: 'no://where' },
    legacy: -32002,
    modern: -32602,
  },
  {
    what: 'an unknown prompt',
    method: 'prompts/get',
    params: { name: 'nope' },
    oldest: -32003,
    legacy: -32602,
    modern: -32602,
  },
  { what: 'a missing parameter', method: 'resources/read', params: {}, legacy: -32602, modern: -32602 },
  { what: 'a parameter of a wrong type', method: 'tools/list', params: { cursor: 7 }, legacy: -32602, modern: -32602 },
  { what: 'an unknown cursor', method: 'tools/list', params: { cursor: 'x' }, legacy: -32602, modern: -32602 },
] as const;

describe('errors on stdio', () => {
  for (const { what, method, params, legacy, modern, ...more } of FAILURES) {
    const oldest = 'oldest' in more ? more.oldest : legacy;
    test(`CORE-08 ${what} is ${oldest} on 2024-11-05, ${legacy} in a later session and ${modern} without one`, async (context) => {
      const withSession = await startReady(context);
      const first = startStdio({ home: join(folder, 'oldest') });
      context.after(() => first.stop());
      await first.initialize('2024-11-05');
      const without = startStdio({ home: join(folder, 'stateless') });
      context.after(() => without.stop());

      const old = await withSession.call(method, params);
      const current = await without.call(method, stateless(params));
      const { error: oldestError } = await first.call(method, params);

      assert.equal(oldestError?.code, oldest);
      assert.equal(old.error?.code, legacy);
      assert.equal(current.error?.code, modern);
      assert.doesNotMatch(`${old.error?.message} ${current.error?.message}`, /zod|\bat .*:\d+:\d+/i);
    });
  }

  test('CORE-08 the error data names the unknown tool or resource', async (context) => {
    const program = await startReady(context);

    const resource = await program.call('resources/read', { uri: 'no://where' });
    const tool = await program.call('tools/call', { name: 'nope' });

    assert.partialDeepStrictEqual(resource.error?.data, { uri: 'no://where', reason: 'resource_not_found' });
    assert.partialDeepStrictEqual(tool.error?.data, { name: 'nope', reason: 'tool_not_found' });
  });

  test('null for an optional argument is as if it were missing, in both eras', async (context) => {
    const program = await startReady(context);
    const without = startStdio({ home: join(folder, 'nulls') });
    context.after(() => without.stop());
    const requests = [
      ['tools/call', { name: 'get_messages', arguments: { source: null, chat: null, since: null, limit: null } }],
      ['tools/call', { name: 'get_messages', arguments: null }],
      ['tools/call', { name: 'update_emails', arguments: { action: 'read', query: 'x', message_ids: null } }],
      ['tools/list', { cursor: null }],
      ['resources/list', { cursor: null }],
    ] as const;

    for (const [method, params] of requests) {
      const old = await program.call(method, params);
      const current = await without.call(method, stateless(params));

      for (const { result, error } of [old, current]) {
        assert.equal(error, undefined, `${method} ${JSON.stringify(params)}`);
        assert.doesNotMatch(JSON.stringify(result), /received null|must be|is required/);
      }
    }
  });

  test('CORE-08 an invalid tool argument is a result that names the argument', async (context) => {
    const program = await startReady(context);

    const { result } = await program.call('tools/call', { name: 'switchboard_status', arguments: { more: true } });

    assert.partialDeepStrictEqual(result, {
      isError: true,
      structuredContent: { error: { code: 'VALIDATION_ERROR', field: 'more' } },
    });
  });

  for (const [what, message, answer] of [
    ['a wrong jsonrpc version', { jsonrpc: '1.0', id: 'a', method: 'ping' }, { id: 'a', error: { code: -32600 } }],
    ['a message without a method', { jsonrpc: '2.0', id: 'b' }, { id: 'b', error: { code: -32600 } }],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, { id: null, error: { code: -32600 } }],
    ['a message that is no object', 'ping', { id: null, error: { code: -32600 } }],
    ['an empty batch', [], { id: null, error: { code: -32600 } }],
    [
      'a message with a list as params',
      { jsonrpc: '2.0', id: 'c', method: 'ping', params: [] },
      { id: 'c', error: { code: -32602 } },
    ],
  ] as const) {
    test(`CORE-08 ${what} is refused and the connection continues`, async (context) => {
      const program = await startReady(context);

      program.send(message);
      const refused = await program.messages.answerTo(answer.id);
      const next = await program.call('ping');

      assert.partialDeepStrictEqual(refused, answer);
      assert.deepEqual(next.result, {});
    });
  }

  test('AGENT-14 CORE-08 malformed JSON is -32700 without an id, and the connection continues', async (context) => {
    const program = await startReady(context);

    program.sendText('{"jsonrpc": "2.0", "id": 1, "method"\n');
    const refused = await program.messages.answerTo(null);
    const next = await program.call('ping');

    assert.partialDeepStrictEqual(refused, { jsonrpc: '2.0', id: null, error: { code: -32700 } });
    assert.deepEqual(next.result, {});
  });

  test('AGENT-14 malformed JSON as the first input is answered too', async (context) => {
    const program = startStdio({ home: join(folder, 'first-words') });
    context.after(() => program.stop());

    program.sendText('hello?\n');
    const refused = await program.messages.answerTo(null);
    const opened = await program.initialize();

    assert.equal(refused.error?.code, -32700);
    assert.ok(opened.result);
  });

  for (const [where, line] of [
    ['before', `{"jsonrpc":"2.0","id":"big","method":"ping","params":{"padding":"${PADDING}"}}`],
    ['after', `{"jsonrpc":"2.0","method":"ping","params":{"id":"wrong","padding":"${PADDING}"},"id":"big"}`],
  ]) {
    test(`a line of 5 MB with its id ${where} the padding is refused with that id, and the connection continues`, async (context) => {
      const program = await startReady(context);

      program.sendText(`${line}\n`);
      const refused = await program.messages.answerTo('big');
      const next = await program.call('ping');

      assert.partialDeepStrictEqual(refused.error, { code: -32600, data: { code: 'TOO_LARGE' } });
      assert.deepEqual(next.result, {});
    });
  }

  test('CHAT-33 the maximum line length is configurable', async (context) => {
    const program = await startReady(context, { SWITCHBOARD_LIMITS__MAX_LINE_BYTES: '2000' });

    const fits = await program.call('ping', { padding: 'x'.repeat(1_800) });
    const refused = await program.call('ping', { padding: 'x'.repeat(2_000) });

    assert.deepEqual(fits.result, {});
    assert.equal(refused.error?.code, -32600);
  });

  test('a batch is answered request by request', async (context) => {
    const program = await startReady(context);

    program.send([request('ping', {}, 'a'), notification('notifications/x'), request('nope', {}, 'b'), 5]);
    const [a, b, invalid] = await Promise.all(['a', 'b', null].map((id) => program.messages.answerTo(id)));

    assert.deepEqual(a?.result, {});
    assert.equal(b?.error?.code, -32601);
    assert.equal(invalid?.error?.code, -32600);
  });

  test('an id that is in use is refused', async (context) => {
    const program = await startReady(context);
    const call = JSON.stringify(request('tools/call', { name: 'switchboard_status', arguments: {} }, 'twice'));

    program.sendText(`${call}\n${call}\n`);
    const answers = [await program.messages.answerTo('twice'), await program.messages.answerTo('twice')];

    assert.deepEqual(answers.map(({ error }) => error?.code).sort(), [-32600, undefined]);
  });
});

describe('errors on HTTP', () => {
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home: join(folder, 'http') });
  });

  after(() => program.stop());

  for (const { what, method, params, legacy, modern, ...more } of FAILURES) {
    test(`CORE-08 ${what} is ${legacy} in a session and ${modern} without one, on HTTP`, async () => {
      const session = await openSession(program.url);

      const old = await session.call(method, params);
      const current = await postStateless(program.url, request(method, stateless(params)));

      assert.equal(old.error?.code, legacy);
      assert.partialDeepStrictEqual(current.messages, [{ error: { code: modern } }]);
      if ('status' in more) assert.equal(current.status, more.status);
    });
  }

  test('AGENT-14 malformed JSON is 400 with -32700', async () => {
    const answer = await post(program.url, '{"jsonrpc"');

    assert.equal(answer.status, 400);
    assert.partialDeepStrictEqual(answer.messages, [{ id: null, error: { code: -32700 } }]);
  });

  test('CORE-09 a notification is 202 without a body', async () => {
    const session = await openSession(program.url);

    const answer = await session.post(notification('notifications/nobody-knows'));

    assert.deepEqual([answer.status, answer.body], [202, '']);
  });

  test('a body of 5 MB is 413', async () => {
    const answer = await post(program.url, request('ping', { padding: PADDING }));

    assert.equal(answer.status, 413);
  });

  test('a body whose content type is not JSON is 415', async () => {
    const answer = await post(program.url, request('ping'), { 'content-type': 'text/plain' });

    assert.equal(answer.status, 415);
  });

  test('CORE-01 an unsupported protocol version is refused with the list of supported ones', async () => {
    const message = request('tools/list', stateless());
    message.params = JSON.parse(JSON.stringify(message.params).replace('2026-07-28', '2099-01-01'));

    const answer = await post(program.url, message, {
      'mcp-protocol-version': '2099-01-01',
      'mcp-method': 'tools/list',
    });

    assert.equal(answer.status, 400);
    assert.partialDeepStrictEqual(answer.messages, [{ error: { code: -32022, data: { supported: ['2026-07-28'] } } }]);
  });
});
