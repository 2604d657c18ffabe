import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, type TestContext, test } from 'node:test';
import { createStdioTransport } from '../../src/servers/upstream/stdio-transport.ts';
import { UpstreamFailure } from '../../src/servers/upstream/upstream.ts';
import { connectTo, connectToProgram, createRecordingListener, NEVER } from '../support/servers/upstream-connection.ts';

const OPTIONS = { signal: NEVER, timeoutMs: 60_000 };
const failsAs = (kind: string) => (thrown: unknown) => thrown instanceof UpstreamFailure && thrown.kind === kind;

/** A server of a few lines: `handle` is the source of what it does with each message after the handshake. */
function startScript(t: TestContext, handle: string) {
  const source = `
    const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') write({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } } });
      else if (method === 'ping') write({ id, result: {} });
      else if (method === 'tools/call') { ${handle} }
    });`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

describe('a server over stdio', () => {
  test('HOST-10 that dies in a call fails the call and ends the connection', async () => {
    await using connected = await connectToProgram('upstream-echo.ts', ['--name', 'x']);
    const asked = connected.upstream.request('tools/call', { name: 'sleep_x', arguments: { ms: 60_000 } }, OPTIONS);

    connected.child.kill('SIGKILL');

    await assert.rejects(asked, failsAs('closed'));
    await connected.upstream.closed;
    await assert.rejects(connected.upstream.ping(NEVER), failsAs('closed'));
  });

  test('that exits in the handshake fails it', async (t) => {
    const { stdin, stdout } = spawn(process.execPath, ['-e', 'process.exit(3)'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    t.after(() => stdin.destroy());

    await assert.rejects(connectTo({ transport: createStdioTransport({ stdin, stdout }) }), failsAs('closed'));
  });

  test('that returns 50 MB is refused, without its result being held, and works on', async (t) => {
    const { stdin, stdout } = startScript(t, `write({ id, result: { text: 'x'.repeat(50_000_000) } });`);
    const upstream = await connectTo({ transport: createStdioTransport({ stdin, stdout }) });

    await assert.rejects(upstream.request('tools/call', {}, OPTIONS), failsAs('too-large'));

    await upstream.ping(NEVER);
  });

  test('that prints garbage between its messages is understood', async (t) => {
    const listener = createRecordingListener();
    const { stdin, stdout } = startScript(
      t,
      `process.stdout.write('INFO {not json\\n\\u001b[32mready\\u001b[0m\\n\\n{"level":30}\\n'); write({ id, result: {} });`,
    );
    const upstream = await connectTo({ transport: createStdioTransport({ stdin, stdout }), listener });

    await upstream.request('tools/call', {}, OPTIONS);

    assert.deepEqual(listener.of('noise'), ['INFO {not json', '\u001b[32mready\u001b[0m', '{"level":30}']);
  });

  test('that sends 100,000 notifications and answers twice to everything is bounded', async (t) => {
    const listener = createRecordingListener();
    const { stdin, stdout } = startScript(
      t,
      `for (let count = 0; count < 100000; count++) write({ method: 'notifications/message', params: { data: count } });
       write({ id, result: { n: 1 } }); write({ id, result: { n: 2 } }); write({ id: 'x', result: {} });`,
    );
    const upstream = await connectTo({ transport: createStdioTransport({ stdin, stdout }), listener });

    assert.deepEqual(await upstream.request('tools/call', {}, OPTIONS), { n: 1 });

    assert.ok(listener.of('log').length < 100_000);
    await upstream.ping(NEVER);
  });
});
