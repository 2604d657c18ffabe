import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { readHello } from './hello.ts';

const path = join(temporaryFolder(after), 's');
const server = createServer({ allowHalfOpen: true });
const sound = { v: 1, door: 'mcp', version: '1.0.0', cwd: '/', pid: 1, ppid: 1, env: {} };

before(() => once(server.listen(path), 'listening'));
after(() => server.close());

/** The result for these bytes, and the socket they were sent on. */
async function read(text: string | Buffer, { end = false, timeoutMs = 2_000 } = {}) {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(path).on('error', () => {});
  client.write(text);
  if (end) client.end();
  const [socket] = await accepted;
  const [result] = await Promise.allSettled([readHello(socket, timeoutMs)]);
  return { result, socket, close: () => [client, socket].map((one) => one.destroy()) };
}

describe('the hello', () => {
  test('leaves the bytes after it in the socket', async () => {
    const { result, socket, close } = await read(`${JSON.stringify({ ...sound, session: 's' })}\n{"id":1}\nrest`);

    socket.resume();
    const [rest] = (await once(socket, 'data')) as [Buffer];

    assert.deepEqual(result.status === 'fulfilled' && result.value, { ...sound, session: 's' });
    assert.equal(rest.toString(), '{"id":1}\nrest');
    close();
  });

  test('is rejected if it is endless, too long or missing', async () => {
    const endless = await read(Buffer.alloc(200_000, 0x61));
    const gone = await read('{"v":1', { end: true });
    const silent = await read('{', { timeoutMs: 20 });

    assert.deepEqual(
      [endless, gone, silent].map(({ result }) => result.status),
      ['rejected', 'rejected', 'rejected'],
    );
    for (const { close } of [endless, gone, silent]) close();
  });

  const wrong: Record<string, unknown> = {
    'another version': { ...sound, v: 2 },
    'an unknown door': { ...sound, door: 'cellar' },
    'a door that is inherited': { ...sound, door: 'constructor' },
    'no environment': { ...sound, env: null },
    'an environment of numbers': { ...sound, env: { A: 1 } },
    'capabilities that are none': { ...sound, only: 'chat' },
    'capabilities of numbers': { ...sound, only: [1] },
    'a session that is an object': { ...sound, session: {} },
    'a pid that is text': { ...sound, pid: '1' },
    'a list': [sound],
    nothing: null,
  };
  for (const [what, hello] of Object.entries(wrong)) {
    test(`${what} is refused`, async () => {
      const { result, close } = await read(`${JSON.stringify(hello)}\n`);

      assert.equal(result.status, 'rejected');
      close();
    });
  }

  test('any other line is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        const { result, close } = await read(`${text.replaceAll('\n', ' ')}\n`);

        assert.equal(result.status, 'rejected');
        close();
      }),
      { numRuns: 50 },
    );
  });
});
