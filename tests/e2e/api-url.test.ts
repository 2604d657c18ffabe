import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { notification, request, stateless } from '../support/mcp/rpc-message.ts';
import { removeHome, startShim, until } from '../support/mcp/shim-program.ts';
import { startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const TOKEN = 'the-token-of-this-test';
const STATUS = { name: 'switchboard_status', arguments: {} };
const UPDATED = 'notifications/resources/updated';
let homes = 0;

interface Place {
  home?: string;
  port?: number;
}

function freshHome(context: TestContext): string {
  const home = join(folder, `h${++homes}`);
  context.after(() => removeHome(home));
  return home;
}

/** On a fixed port, so that the server can restart on it. */
async function startServer(context: TestContext, { home = freshHome(context), port }: Place = {}) {
  const server = await startHttp({ home, port: port ?? (await freePort()) }, ['--token', TOKEN]);
  context.after(() => server.stop());
  return server;
}

/** A client of a remote Switchboard; it has its own home, and must not need it. */
function connect(context: TestContext, url: string, token = TOKEN, args: readonly string[] = []) {
  const env = { SWITCHBOARD_API_TOKEN: token };
  const shim = startShim({ home: freshHome(context), env }, ['--api-url', url, ...args]);
  context.after(() => shim.signal('SIGKILL'));
  return shim;
}

const wordsOf = (result: unknown) => JSON.stringify(result);

describe('EMAIL-02 a stdio client uses a remote Switchboard', () => {
  test('in a session: calls work, also concurrent ones, and the session ends with the client', async (context) => {
    const { base, url } = await startServer(context);
    const client = connect(context, base);

    const opened = await client.initialize();
    const listed = await client.call('tools/list');
    const called = await Promise.all(Array.from({ length: 20 }, () => client.call('tools/call', STATUS)));
    const { code, noise, stderr } = await client.stop();
    const after = connect(context, url);
    await after.initialize();
    const left = await after.call('tools/call', STATUS);

    assert.ok(opened.result?.serverInfo);
    assert.match(wordsOf(listed.result), /switchboard_status/);
    assert.ok(called.every(({ result }) => result && result.isError !== true));
    assert.deepEqual([code, noise, stderr], [0, [], '']);
    assert.match(wordsOf(left.result), /"sessions":1\b/);
  });

  test('without sessions: server/discover, a list, a call and a resource work', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, base);

    const discovered = await client.call('server/discover', stateless());
    const listed = await client.call('tools/list', stateless());
    const called = await client.call('tools/call', stateless(STATUS));
    const read = await client.call('resources/read', stateless({ uri: 'switchboard://status' }));
    const unknown = await client.call('tools/call', stateless({ name: 'größe', arguments: {} }));

    assert.deepEqual(discovered.result?.supportedVersions, ['2026-07-28']);
    assert.match(wordsOf(listed.result), /switchboard_status/);
    assert.ok(called.result?.structuredContent);
    assert.ok(read.result?.contents);
    assert.match(unknown.error?.message ?? '', /größe/);
  });

  test('a session receives notifications of its subscriptions', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, base);
    await client.initialize();

    await client.call('resources/subscribe', { uri: 'switchboard://status' });
    await connect(context, base).initialize();
    const told = await client.messages.notified(UPDATED);

    assert.equal(told.params?.uri, 'switchboard://status');
  });

  test('without a session, a stream of notifications stays open until it is cancelled', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, base);
    const listen = request(
      'subscriptions/listen',
      stateless({ notifications: { resourceSubscriptions: ['switchboard://status'] } }),
    );

    client.send(listen);
    await client.messages.notified('notifications/subscriptions/acknowledged');
    await connect(context, base).initialize();
    const told = await client.messages.notified(UPDATED);
    client.send(notification('notifications/cancelled', { requestId: listen.id }));
    const afterwards = await client.call('tools/call', stateless(STATUS));
    const { code } = await client.stop();

    assert.equal(told.params?.uri, 'switchboard://status');
    assert.ok(afterwards.result);
    assert.equal(code, 0);
    assert.ok(!client.messages.all.some(({ id }) => id === listen.id));
  });

  test('a client that disconnects while it listens makes the program exit with 0', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, base);
    client.send(request('subscriptions/listen', stateless({ notifications: { toolsListChanged: true } })));
    await client.messages.notified('notifications/subscriptions/acknowledged');

    const { code, noise } = await client.stop();

    assert.deepEqual([code, noise], [0, []]);
  });

  test('at the end of input all requests are answered before the exit; a signal ends it too', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, base);
    await client.initialize();
    const calls = Array.from({ length: 30 }, () => request('tools/call', STATUS));
    const other = connect(context, base);
    await other.initialize();

    client.sendText(calls.map((call) => JSON.stringify(call)).join('\n'));
    const { code, noise } = await client.stop();
    other.signal('SIGTERM');
    const signalled = await other.ended();

    assert.deepEqual([code, noise, signalled.code], [0, [], 0]);
    assert.equal(client.messages.all.filter(({ result }) => result).length, 1 + calls.length);
  });

  test('the program exits when its client no longer reads', async (context) => {
    const { base } = await startServer(context);
    const env = { SWITCHBOARD_API_TOKEN: TOKEN };
    const program = startProgram(['mcp', '--api-url', base], { home: freshHome(context), env });
    context.after(() => program.kill('SIGKILL'));

    program.stdout.destroy();
    program.stdin.write(`${JSON.stringify(request('tools/call', stateless(STATUS)))}\n`);
    const [code] = await once(program, 'exit');

    assert.equal(code, 0);
  });

  test('--only selects capabilities of the remote server', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, base, TOKEN, ['--only', 'nothing-like-it']);

    const answer = await client.initialize();

    assert.match(answer.error?.message ?? '', /nothing-like-it/);
  });
});

describe('EMAIL-03 a Switchboard that is unreachable', () => {
  const eras = { 'in a session': (params: object) => params, 'without sessions': stateless };
  for (const [era, paramsOf] of Object.entries(eras)) {
    test(`${era}: handshake and tool list work, a call returns a hint, and works once the server runs`, async (context) => {
      const port = await freePort();
      const client = connect(context, `http://127.0.0.1:${port}`);

      if (era === 'in a session') {
        const { result } = await client.initialize();
        assert.equal(result?.protocolVersion, '2025-11-25');
      } else {
        const { result } = await client.call('server/discover', stateless());
        assert.deepEqual(result?.supportedVersions, ['2026-07-28']);
      }
      const listed = await client.call('tools/list', paramsOf({}));
      const failed = await client.call('tools/call', paramsOf(STATUS));
      const unread = await client.call('resources/read', paramsOf({ uri: 'switchboard://status' }));
      await startServer(context, { port });
      const called = await client.call('tools/call', paramsOf(STATUS));
      const { code, noise, stderr } = await client.stop();

      assert.match(wordsOf(listed.result), /"name":"switchboard_status".*"inputSchema"/);
      assert.equal(failed.result?.isError, true);
      assert.match(wordsOf(failed.result?.content), /cannot be reached: check that the service runs there/);
      assert.match(unread.error?.message ?? '', /switchboard serve/);
      assert.ok(called.result?.structuredContent);
      assert.notEqual(called.result.isError, true);
      assert.deepEqual([code, noise], [0, []]);
      assert.match(stderr, /^switchboard: Switchboard at http:\/\/127\.0\.0\.1:\d+ cannot be reached.*\n$/);
    });
  }

  async function listedBoth(context: TestContext, method: string, items: string) {
    const { base } = await startServer(context);
    const offline = `http://127.0.0.1:${await freePort()}`;
    const answers = [base, offline].map((url) => connect(context, url).call(method, stateless()));
    return (await Promise.all(answers)).map(({ result }) => result?.[items] as { name: string }[]);
  }

  test('tools/list has every tool of the server offline: what is configured there is not known', async (context) => {
    const [there = [], here = []] = await listedBoth(context, 'tools/list', 'tools');

    const names = here.map(({ name }) => name);
    assert.ok(there.length > 0 && there.every(({ name }) => names.includes(name)));
  });

  const lists = {
    'resources/list': 'resources',
    'resources/templates/list': 'resourceTemplates',
    'prompts/list': 'prompts',
  };
  for (const [method, items] of Object.entries(lists)) {
    test(`${method} returns the same list offline as the server`, async (context) => {
      const [there, here] = await listedBoth(context, method, items);

      assert.ok(Array.isArray(here));
      assert.deepEqual(here, there);
    });
  }

  test('ping is answered, and once the server runs the client gets a list_changed notification', async (context) => {
    const port = await freePort();
    const client = connect(context, `http://127.0.0.1:${port}`);
    await client.initialize();

    const pong = await client.call('ping');
    await client.call('resources/list');
    await startServer(context, { port });
    await client.call('tools/call', STATUS);
    await client.messages.notified('notifications/resources/list_changed');
    const { noise } = await client.stop();

    assert.deepEqual([pong.result, noise], [{}, []]);
    assert.ok(!client.messages.all.some(({ method }) => method === 'notifications/tools/list_changed'));
  });

  test('a wrong token is reported as refused, and is not repeated in the error', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, base, 'a-wrong-token');
    await client.initialize();

    const { result } = await client.call('tools/call', STATUS);
    const { stderr } = await client.stop();

    assert.equal(result?.isError, true);
    assert.match(wordsOf(result?.content), /refuses the token, or needs one: set SWITCHBOARD_API_TOKEN/);
    assert.doesNotMatch(wordsOf(result) + stderr, /a-wrong-token/);
  });

  const odd: Record<string, { answer: RequestListener; words: RegExp }> = {
    'closes the connection': {
      answer: (_, response) => response.destroy(),
      words: /broke while this request ran; whether it took effect is not known/,
    },
    'closes the connection during a stream': {
      answer: (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"jsonrpc"', () => response.destroy());
      },
      words: /broke while this request ran/,
    },
    'returns an error': {
      answer: (_, response) => response.writeHead(502).end('<html>'),
      words: /check that the service runs/,
    },
    'is not a Switchboard': {
      answer: (_, response) => response.writeHead(200).end('<html>'),
      words: /HTTP status 200 and no message of MCP/,
    },
    'refuses every client': { answer: (_, response) => response.writeHead(403).end(), words: /refuses this client/ },
  };
  for (const [how, { answer, words }] of Object.entries(odd)) {
    test(`a call to a server that ${how} gets one response, and so does the next call`, async (context) => {
      const server = createServer(answer);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      context.after(() => server.close());
      const client = connect(context, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

      const first = await client.call('tools/call', stateless(STATUS));
      const second = await client.call('tools/call', stateless(STATUS));
      const { code, noise } = await client.stop();

      assert.match(wordsOf(first), words);
      assert.match(wordsOf(second), words);
      assert.deepEqual([code, noise, client.messages.all.length], [0, [], 2]);
    });
  }

  const elsewhere: Record<string, { path: string; args?: readonly string[]; words: RegExp }> = {
    'an address that serves no MCP': { path: '/api/v1', words: /Not found/ },
    'an unknown capability': { path: '', args: ['--only', 'nope'], words: /There is no capability 'nope'/ },
  };
  for (const [what, { path, args, words }] of Object.entries(elsewhere)) {
    test(`${what} gets a JSON-RPC error`, async (context) => {
      const { base } = await startServer(context);
      const client = connect(context, `${base}${path}`, TOKEN, args);

      const opened = await client.initialize();
      const called = await client.call('tools/call', stateless(STATUS));

      for (const { error } of [opened, called]) {
        assert.partialDeepStrictEqual(error, { code: -32603, data: { code: 'NOT_FOUND' } });
        assert.match(error?.message ?? '', words);
      }
    });
  }

  test('the address of an endpoint selects the capabilities of that endpoint', async (context) => {
    const { base } = await startServer(context);
    const client = connect(context, `${base}/mcp/agentmail`);

    await client.initialize();
    const listed = await client.call('tools/list');

    const { tools = [] } = (listed.result ?? {}) as { tools?: { name: string }[] };
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['list-recipients', 'receive', 'send', 'status']);
  });

  test('a token with characters that a header cannot carry is refused at the start', async (context) => {
    const { code, stderr } = await connect(context, 'http://127.0.0.1:1', 'größe\u{1f600}').ended();

    assert.equal(code, 2);
    assert.match(stderr, /^switchboard: The token has characters that no token has\.\n$/);
  });

  for (const sameHome of [true, false]) {
    const title = sameHome ? 'continues in the same session' : 'starts a new session if the old one is unknown';
    test(`a client of a server that restarts ${title}, with its subscriptions`, async (context) => {
      const home = freshHome(context);
      const server = await startServer(context, { home });
      const client = connect(context, server.base);
      await client.initialize();
      await client.call('resources/subscribe', { uri: 'switchboard://status' });

      await server.stop();
      const meanwhile = await client.call('tools/call', STATUS);
      const port = Number(new URL(server.base).port);
      await startServer(context, { port, home: sameHome ? home : freshHome(context) });
      const called = await client.call('tools/call', STATUS);
      await connect(context, server.base).initialize();
      const told = await client.messages.notified(UPDATED);

      assert.equal(meanwhile.result?.isError, true);
      assert.notEqual(called.result?.isError, true);
      assert.ok(called.result?.structuredContent);
      assert.equal(told.params?.uri, 'switchboard://status');
    });
  }

  for (const sameHome of [true, false]) {
    const where = sameHome ? 'in the same session' : 'in another session';
    test(`changes that may have happened while the server was down are notified ${where}`, async (context) => {
      const home = freshHome(context);
      const server = await startServer(context, { home });
      const client = connect(context, server.base);
      await client.initialize();
      await client.call('resources/subscribe', { uri: 'switchboard://status' });

      await server.stop();
      await startServer(context, {
        port: Number(new URL(server.base).port),
        home: sameHome ? home : freshHome(context),
      });
      const { params } = await client.messages.notified(UPDATED);

      assert.equal(params?.uri, 'switchboard://status');
    });
  }

  test('an idle client gets notifications of its subscriptions again once another server runs', async (context) => {
    const server = await startServer(context);
    const client = connect(context, server.base);
    await client.initialize();
    await client.call('resources/subscribe', { uri: 'switchboard://status' });

    await server.stop();
    const before = client.messages.all.length;
    await startServer(context, { port: Number(new URL(server.base).port) });
    await until('the client is notified', async () => {
      const other = connect(context, server.base);
      await other.initialize();
      await other.stop();
      return client.messages.all.slice(before).some(({ method }) => method === UPDATED);
    });
    const { code, noise } = await client.stop();

    assert.deepEqual([code, noise], [0, []]);
  });
});
