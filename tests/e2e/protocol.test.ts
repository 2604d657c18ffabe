import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { startStdio } from '../support/mcp/mcp-program.ts';
import { initializeParams, notification, request, stateless } from '../support/mcp/rpc-message.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let homes = 0;

function freshHome(): string {
  homes += 1;
  return join(folder, `home-${homes}`);
}

function start(context: TestContext, home = freshHome(), args: readonly string[] = []) {
  const program = startStdio({ home }, args);
  context.after(() => program.stop());
  return program;
}

async function startReady(context: TestContext, args: readonly string[] = []) {
  const program = start(context, freshHome(), args);
  await program.initialize();
  return program;
}

describe('the handshake', () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    test(`CORE-01 ${version} is negotiated on stdio`, async (context) => {
      const program = start(context);

      const answer = await program.initialize(version);

      assert.partialDeepStrictEqual(answer, {
        jsonrpc: '2.0',
        result: { protocolVersion: version, serverInfo: { name: 'switchboard' } },
      });
    });
  }

  test('CORE-01 an unknown version is answered with the newest one that has sessions', async (context) => {
    const program = start(context);

    const answer = await program.initialize('1999-01-01');

    assert.equal(answer.result?.protocolVersion, '2025-11-25');
  });

  test('CORE-01 2026-07-28 needs no handshake, and server/discover returns versions and capabilities', async (context) => {
    const program = start(context);

    const discovered = await program.call('server/discover', stateless());
    const listed = await program.call('tools/list', stateless());

    assert.partialDeepStrictEqual(discovered.result, {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {} },
    });
    assert.partialDeepStrictEqual(listed.result, { resultType: 'complete', tools: [{ name: 'switchboard_status' }] });
  });

  for (const args of [[], ['--only', 'chat']]) {
    const name = ['CORE-03 CHAT-24 the capabilities are tools, resources, prompts and logging; no sampling', ...args];
    test(name.join(' '), async (context) => {
      const program = start(context, freshHome(), args);

      const { result } = await program.initialize('2024-11-05');

      assert.deepEqual(result?.capabilities, {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      });
    });
  }
});

describe('the session', () => {
  test('CORE-04 a second initialize is refused, and the session continues', async (context) => {
    const program = await startReady(context);

    const second = await program.call('initialize', initializeParams('2025-11-25'));
    const ping = await program.call('ping');

    assert.partialDeepStrictEqual(second.error, { code: -32600, data: { code: 'CONFLICT' } });
    assert.deepEqual(ping.result, {});
  });

  test('an incomplete initialize is refused, and can be sent again', async (context) => {
    const program = start(context);

    const refused = await program.call('initialize', { protocolVersion: '2025-11-25' });
    const again = await program.initialize();

    assert.partialDeepStrictEqual(refused.error, { code: -32602, data: { field: 'capabilities' } });
    assert.ok(again.result);
  });

  test('CORE-04 CORE-06 a session is stored as ready while it is open, and as closed afterwards', async (context) => {
    const home = freshHome();
    const program = start(context, home);
    await program.initialize('2025-06-18');
    await program.call('ping');
    const list = async () => JSON.parse((await runProgram(['sessions', 'list', '--json'], { home })).stdout).sessions;

    const during = await list();
    await program.stop();
    const afterwards = await list();

    const facts = { client: 'a test 1.0.0', transport: 'stdio', protocol_version: '2025-06-18', principal: 'local' };
    assert.partialDeepStrictEqual(during, [{ ...facts, state: 'ready' }]);
    assert.partialDeepStrictEqual(afterwards, [{ ...facts, state: 'closed', closed_because: 'client' }]);
  });

  test('CORE-06 a session can be shown by its id', async (context) => {
    const home = freshHome();
    const program = start(context, home);
    await program.initialize();
    await program.stop();
    const listed = JSON.parse((await runProgram(['sessions', 'list', '--json'], { home })).stdout);
    const [{ id }] = listed.sessions;

    const shown = await runProgram(['sessions', 'show', id, '--json'], { home });

    assert.partialDeepStrictEqual(JSON.parse(shown.stdout), { id, state: 'closed' });
  });
});

describe('the methods', () => {
  test('CORE-02 ping is answered with an empty result', async (context) => {
    const program = await startReady(context);

    const answer = await program.call('ping');

    assert.deepEqual(answer.result, {});
  });

  test('CORE-02 CORE-06 tools/list returns each tool with its description and schemas', async (context) => {
    const program = await startReady(context);

    const { result } = await program.call('tools/list');

    assert.partialDeepStrictEqual(result, {
      tools: [
        {
          name: 'switchboard_status',
          inputSchema: { type: 'object' },
          outputSchema: { type: 'object' },
          annotations: { readOnlyHint: true, destructiveHint: false },
        },
      ],
    });
    assert.doesNotMatch(JSON.stringify(result), /\$schema/);
  });

  test('CORE-02 CORE-06 tools/call returns text and structured content', async (context) => {
    const program = await startReady(context);

    const { result } = await program.call('tools/call', { name: 'switchboard_status', arguments: {} });

    assert.partialDeepStrictEqual(result, {
      content: [{ type: 'text' }],
      structuredContent: { capabilities: ['system'], store: { kind: 'sqlite' } },
    });
  });

  test('CORE-02 CORE-06 resources/list and resources/read return resources and their content', async (context) => {
    const program = await startReady(context);

    const listed = await program.call('resources/list');
    const read = await program.call('resources/read', { uri: 'switchboard://status' });

    assert.partialDeepStrictEqual(listed.result, {
      resources: [
        { uri: 'switchboard://config', mimeType: 'application/json' },
        { uri: 'switchboard://status', mimeType: 'application/json' },
      ],
    });
    assert.partialDeepStrictEqual(read.result, {
      contents: [{ uri: 'switchboard://status', mimeType: 'application/json' }],
    });
  });

  test('CORE-02 resources/templates/list returns the templates', async (context) => {
    const program = await startReady(context);

    const { result } = await program.call('resources/templates/list');

    assert.partialDeepStrictEqual(result, { resourceTemplates: [{ uriTemplate: 'switchboard://sessions/{id}' }] });
  });

  test('CORE-02 CORE-06 prompts/list is answered even if there is no prompt', async (context) => {
    const program = await startReady(context);
    const without = await startReady(context, ['--only', 'agentmail']);

    const { result } = await program.call('prompts/list');
    const { result: none } = await without.call('prompts/list');

    assert.partialDeepStrictEqual(result, { prompts: [{ name: 'analyze_conversation' }] });
    assert.deepEqual(none, { prompts: [] });
  });

  test('CORE-02 completion/complete is answered for a template', async (context) => {
    const program = await startReady(context);

    const { result } = await program.call('completion/complete', {
      ref: { type: 'ref/resource', uri: 'switchboard://sessions/{id}' },
      argument: { name: 'id', value: '0' },
    });

    assert.partialDeepStrictEqual(result, { completion: { hasMore: false } });
  });

  test('CORE-02 CORE-12 logging/setLevel changes the log level', async (context) => {
    const program = await startReady(context);

    const answer = await program.call('logging/setLevel', { level: 'debug' });
    program.send({ jsonrpc: '2.0', id: 'nobody asked', result: {} });
    program.send(notification('notifications/unknown', []));
    await program.call('ping');
    const { stderr } = await program.stop();

    assert.deepEqual(answer.result, {});
    assert.match(stderr, /"level":"debug"/);
  });

  test('CORE-02 shutdown is answered, then the program exits with 0', async (context) => {
    const program = await startReady(context);

    const answer = await program.call('shutdown');
    const { code } = await program.ended();

    assert.deepEqual(answer.result, {});
    assert.equal(code, 0);
  });

  test('CORE-09 notifications get no response, known or not', async (context) => {
    const program = await startReady(context);

    for (const method of [
      'notifications/initialized',
      'notifications/cancelled',
      'notifications/nobody-knows',
      'ping',
    ]) {
      program.send(notification(method, { requestId: 99 }));
    }
    const next = await program.call('ping');

    assert.deepEqual(next.result, {});
    assert.deepEqual(
      program.messages.all.map(({ id }) => id),
      [program.messages.all[0]?.id, next.id],
    );
  });

  test('CORE-06 lists are split into pages of the configured size', async (context) => {
    const program = startStdio({ home: freshHome(), env: { SWITCHBOARD_MCP__PAGE_SIZE: '1' } });
    context.after(() => program.stop());
    await program.initialize();

    const first = await program.call('resources/list');
    const second = await program.call('resources/list', { cursor: first.result?.nextCursor });

    assert.partialDeepStrictEqual(first.result, { resources: [{ uri: 'switchboard://config' }] });
    assert.partialDeepStrictEqual(second.result, { resources: [{ uri: 'switchboard://status' }] });
    assert.equal(second.result?.nextCursor, undefined);
  });

  test('CORE-02 without sessions ping, logging/setLevel and resources/subscribe do not exist', async (context) => {
    const program = start(context);

    const answers = await Promise.all(
      ['ping', 'logging/setLevel', 'resources/subscribe'].map((method) => program.call(method, stateless())),
    );

    assert.deepEqual(
      answers.map(({ error }) => error?.code),
      [-32601, -32601, -32601],
    );
  });

  test('concurrent requests are all answered, each once', async (context) => {
    const program = await startReady(context);
    const calls = Array.from({ length: 90 }, () =>
      request('tools/call', { name: 'switchboard_status', arguments: {} }),
    );

    program.sendText(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
    await Promise.all(calls.map(({ id }) => program.messages.answerTo(id)));

    assert.equal(program.messages.all.length, 1 + calls.length);
  });
});
