import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import type { Hello } from '../lib/daemon-hello.ts';
import { askToLeave, attach } from './attach.ts';

const folder = temporaryFolder(after);
const hello: Hello = { v: 1, door: 'mcp', version: '1.0.0', cwd: '/', pid: 1, ppid: 1, env: {} };
let homes = 0;

/** A home whose socket is answered like this. */
async function homeWith(context: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const home = join(folder, `h${++homes}`);
  mkdirSync(join(home, 'run'), { recursive: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    answer(socket);
  });
  context.after(() => server.close());
  await once(server.listen(join(home, 'run', 'daemon.sock')), 'listening');
  return home;
}

describe('the handshake with a daemon', () => {
  test('reads the reply, and leaves what follows it for the client', async (context) => {
    const home = await homeWith(context, (socket) => socket.write('{"v":1,"pid":7}\n{"id":1}\n'));

    const attached = await attach(home, hello);
    attached?.socket.resume();
    const [rest] = (await once(attached?.socket as Socket, 'data')) as [Buffer];

    assert.deepEqual(attached?.reply, { v: 1, pid: 7 });
    assert.equal(rest.toString(), '{"id":1}\n');
    attached?.socket.destroy();
  });

  const noDaemons: Record<string, (socket: Socket) => void> = {
    'that closes without a reply': (socket) => socket.end(),
    'that is cut off': (socket) => socket.destroy(),
    'that sends something else': (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n'),
    'that ends in the middle of its reply': (socket) => socket.end('{"v":1'),
  };
  for (const [which, answer] of Object.entries(noDaemons)) {
    test(`fails with one ${which}`, async (context) => {
      const home = await homeWith(context, answer);

      assert.equal(await attach(home, hello), undefined);
    });
  }

  test('without a socket there is no daemon', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');

    assert.equal(await attach(join(folder, 'nothing'), hello), undefined);
    assert.equal(await attach(file, hello), undefined);
  });

  test('a daemon that is asked to exit is waited for', async (context) => {
    let left = false;
    const home = await homeWith(context, (socket) => {
      socket.write('{"v":1,"pid":7}\n');
      setImmediate(() => {
        left = true;
        socket.end();
      });
    });

    const reply = await askToLeave(home, { ...hello, door: 'stop' });

    assert.equal(reply?.pid, 7);
    assert.equal(left, true);
  });

  test('a refusal is returned', async (context) => {
    const error = { code: 'CONFLICT', message: 'no' };
    const home = await homeWith(context, (socket) => socket.end(`${JSON.stringify({ v: 1, pid: 7, error })}\n`));

    assert.deepEqual((await askToLeave(home, { ...hello, door: 'takeover' }))?.error, error);
  });
});
