import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { sendHalf } from '../support/http/half-sent-request.ts';
import { startHttp, startStdio } from '../support/mcp/mcp-program.ts';
import { ACCEPT, openSession, openStream, postStateless, standardHeaders } from '../support/mcp/rpc-http.ts';
import { rpcOverLines } from '../support/mcp/rpc-lines.ts';
import { type Message, request, stateless } from '../support/mcp/rpc-message.ts';
import { until } from '../support/mcp/shim-program.ts';
import { programEnvironment, programPath, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const STATUS = { name: 'switchboard_status', arguments: {} };
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

const burst = () => Array.from({ length: 50 }, () => request('tools/call', STATUS));

function assertAnsweredOnce(messages: readonly Message[]): void {
  const ids = messages.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
}

describe('shutdown on stdio', () => {
  for (const signal of SIGNALS) {
    test(`CHAT-03 ${signal} while requests are in flight: requests already read are answered, the exit code is 0`, async () => {
      const program = startStdio({ home: join(folder, signal) });
      await program.initialize();
      const calls = burst();

      program.sendText(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
      await program.messages.answerTo(calls[0]?.id ?? '');
      program.signal(signal);
      const { code, noise } = await program.ended();

      assert.equal(code, 0);
      assert.deepEqual(noise, []);
      assertAnsweredOnce(program.messages.all);
      // The first response arrived, so the whole burst had been read and was in flight.
      assert.equal(program.messages.all.filter(({ result }) => result).length, 1 + calls.length);
    });
  }

  test('CHAT-03 at the end of input all requests are answered, even one without a trailing newline', async () => {
    const program = startStdio({ home: join(folder, 'piped') });
    await program.initialize();
    const calls = burst();

    program.sendText(calls.map((call) => JSON.stringify(call)).join('\n'));
    const { code } = await program.stop();

    assert.equal(code, 0);
    assert.equal(program.messages.all.filter(({ result }) => result).length, 1 + calls.length);
  });

  test('CHAT-01 CHAT-03 a client that sends nothing can close the connection', async () => {
    const program = startStdio({ home: join(folder, 'silent') });

    const { code, noise } = await program.stop();

    assert.equal(code, 0);
    assert.deepEqual([program.messages.all, noise], [[], []]);
  });

  test('the program exits when its client no longer reads', async () => {
    const program = startProgram(['mcp', '--embedded'], { home: join(folder, 'deaf') });
    program.stdin.on('error', () => {});
    const { initialize, send } = rpcOverLines(program.stdin, program.stdout);
    await initialize();

    program.stdout.destroy();
    send(request('tools/call', STATUS));
    const [code] = await once(program, 'exit');

    assert.equal(code, 0);
  });

  test('the program exits when its parent process has exited, even if its input stays open', async () => {
    const starter = spawn('sh', ['-c', '"$0" "$1" mcp --embedded <&3 & read -r _', process.execPath, programPath], {
      env: programEnvironment({ home: join(folder, 'orphan') }),
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    const [ask, stdout, , input] = starter.stdio;
    assert.ok(ask && stdout && input && 'write' in input);
    const client = rpcOverLines(input, stdout);
    await client.initialize();

    const ends = [once(starter, 'exit'), once(stdout, 'close')];
    ask.end();
    await Promise.all(ends);

    assert.equal(client.messages.all.length, 1);
    input.destroy();
  });

  test('AGENT-17 CORE-12 stdout contains only protocol messages at any log level', async () => {
    const program = startStdio({ home: join(folder, 'loud'), env: { SWITCHBOARD_LOGGING__LEVEL: 'trace' } });
    await program.initialize();
    program.sendText('no JSON\n');
    await program.call('tools/call', STATUS);
    await program.call('resources/read', { uri: 'no://where' });

    const { code, noise } = await program.stop();

    assert.equal(code, 0);
    assert.deepEqual(noise, []);
    assert.ok(program.messages.all.every(({ jsonrpc }) => jsonrpc === '2.0'));
  });
});

describe('shutdown on HTTP', () => {
  for (const signal of SIGNALS) {
    test(`CHAT-03 ${signal} while requests are in flight: each is answered or refused, the exit code is 0`, async () => {
      const program = await startHttp({ home: join(folder, `http-${signal}`) });
      const session = await openSession(program.url);
      const stream = await session.listen();
      const oldest = await openStream(`${program.base}/sse`);
      const inSession = burst().map((call) => session.post(call));
      const without = burst().map(({ id }) => postStateless(program.url, request('tools/call', stateless(STATUS), id)));

      await Promise.race(inSession);
      program.signal(signal);
      const answers = await Promise.allSettled([...inSession, ...without]);
      const { code, stdout } = await program.ended();
      await Promise.all([stream.ended, oldest.ended]);

      assert.deepEqual([code, stdout], [0, '']);
      for (const answer of answers) {
        // A connection that was no longer accepted fails as a whole; a response that began is complete.
        if (answer.status === 'rejected') continue;
        assert.ok([200, 503].includes(answer.value.status), `${answer.value.status}`);
        assert.notEqual(answer.value.body, '');
      }
      assert.ok(answers.some((answer) => answer.status === 'fulfilled' && answer.value.status === 200));
    });
  }

  test('CHAT-03 a request that is completed only during the shutdown is answered or refused as well', async () => {
    const program = await startHttp({ home: join(folder, 'late') });
    const session = await openSession(program.url);
    const alone = request('tools/call', stateless(STATUS));
    const halves = await Promise.all(
      [
        { headers: standardHeaders(alone), body: JSON.stringify(alone) },
        { headers: session.headers, body: JSON.stringify(request('tools/call', STATUS)) },
      ].map(({ headers, body }) => sendHalf(program.url, { headers: { ...ACCEPT, ...headers }, body })),
    );
    await session.call('ping');

    program.signal('SIGTERM');
    await until('the server no longer accepts connections', () =>
      fetch(`${program.base}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    const answers = await Promise.allSettled(halves.map(({ finish }) => finish()));
    const { code } = await program.ended();

    assert.equal(code, 0);
    for (const answer of answers) {
      if (answer.status === 'rejected') continue;
      assert.ok([200, 503].includes(answer.value.status ?? 0), `${answer.value.status}`);
      assert.match(answer.value.body, /"result"|shutting down/);
    }
  });
});
