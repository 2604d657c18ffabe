import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../domain/json.ts';
import { createStdioTransport } from './stdio-transport.ts';
import type { UpstreamFailure } from './upstream.ts';

function opened({ stdin = new PassThrough() as Writable, maxMessageBytes = 1_000 } = {}) {
  const stdout = new PassThrough();
  const messages: JsonObject[] = [];
  const noise: string[] = [];
  const tooLarge: unknown[] = [];
  const closed = Promise.withResolvers<UpstreamFailure | undefined>();
  const transport = createStdioTransport({ stdin, stdout, maxMessageBytes });
  transport.open({
    onMessage: (message) => messages.push(message),
    onTooLarge: (id) => tooLarge.push(id),
    onNoise: (text) => noise.push(text),
    onClosed: closed.resolve,
  });
  return { transport, stdin, stdout, messages, noise, tooLarge, closed: closed.promise };
}

describe('HOST-20 messages over stdio', () => {
  test('of the same turn are written together after the first, one line each', async () => {
    const written: string[] = [];
    const stdin = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk));
        done();
      },
    });
    const { transport } = opened({ stdin });

    transport.send({ jsonrpc: '2.0', id: 1, method: 'a', params: { text: 'one\u2028line\n' } });
    transport.send({ jsonrpc: '2.0', id: 2, method: 'b' });
    transport.send({ jsonrpc: '2.0', id: 3, method: 'c' });
    const writtenAtOnce = written.length;
    await new Promise(setImmediate);

    assert.equal(writtenAtOnce, 1);
    assert.equal(written[0]?.split('\n').length, 2);
    assert.ok(!written[0]?.includes('\u2028'));
    assert.equal(written.length, 2);
    assert.equal(written[1]?.split('\n').length, 3);
  });

  test('are read in between of what a server prints beside the protocol', async () => {
    const { stdout, messages, noise, closed } = opened();

    stdout.write('Starting …\n{"level":"info"}\n[]\n42\n');
    stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\n[{"jsonrpc":"2.0","id":2,"result":{}}]\n');
    stdout.end(`${'x'.repeat(900)}\n`);
    await closed;

    assert.deepEqual(
      messages.map(({ id }) => id),
      [1, 2],
    );
    assert.deepEqual(noise.slice(0, 4), ['Starting …', '{"level":"info"}', '[]', '42']);
    assert.equal(noise[4]?.length, 501);
  });

  test('over the limit are skipped, with the id of the answer', async () => {
    const { stdout, messages, tooLarge, closed } = opened();

    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: 5, result: { text: 'x'.repeat(100_000) } })}\n`);
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: 6, method: 'x', params: { text: 'x'.repeat(100_000) } })}\n`);
    stdout.end('{"jsonrpc":"2.0","id":7,"result":{}}');
    await closed;

    assert.deepEqual(tooLarge, [5, null]);
    assert.equal(messages[0]?.id, 7);
  });

  test('that a server does not read are not kept without a limit', async () => {
    const stdin = new Writable({ write() {} });
    const { transport, closed } = opened({ stdin });
    const params = { text: 'x'.repeat(8 * 1024 * 1024) };

    for (let id = 0; id < 9; id++) transport.send({ jsonrpc: '2.0', id, method: 'a', params });

    assert.equal((await closed)?.message, 'The server does not read its input.');
    assert.ok(stdin.writableLength < 70 * 1024 * 1024);
  });

  test('end with the output of the server, also where that had ended before', async () => {
    const { stdout, closed } = opened();
    stdout.destroy();

    assert.equal(await closed, undefined);
    const transport = createStdioTransport({ stdin: new PassThrough(), stdout });
    const again = Promise.withResolvers<void>();
    transport.open({ onMessage() {}, onTooLarge() {}, onNoise() {}, onClosed: () => again.resolve() });
    await again.promise;
  });

  test('end when the input of the server is gone, even if its output stays open', async () => {
    const { stdin, closed } = opened();

    stdin.destroy(new Error('EPIPE'));

    assert.equal(await closed, undefined);
  });

  test('that were sent before it is closed are written', async () => {
    const { transport, stdin } = opened();

    transport.send({ jsonrpc: '2.0', method: 'notifications/x' });
    await transport.close();
    transport.send({ jsonrpc: '2.0', method: 'notifications/late' });

    assert.equal(String((stdin as PassThrough).read()), '{"jsonrpc":"2.0","method":"notifications/x"}\n');
    assert.ok(stdin.writableEnded);
  });
});
