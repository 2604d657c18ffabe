import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, test } from 'node:test';
import { limitConnections } from './connections.ts';

const TIMEOUT_MS = 50;
/** More than the kernel takes for a client that does not read. */
const MUCH = 'x'.repeat(64 * 1024 * 1024);

async function connected(answer: RequestListener) {
  const server = createServer({ keepAliveTimeout: TIMEOUT_MS, keepAliveTimeoutBuffer: 0 }, (request, response) => {
    response.once('close', connections.arrived(request));
    answer(request, response);
  });
  const connections = limitConnections(server, () => 10);
  connections.closeWhenStalled(TIMEOUT_MS);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const arriving = once(server, 'connection');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const [socket] = await arriving;
  return {
    client,
    socket,
    send: () => void client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'),
    [Symbol.dispose]() {
      client.destroy();
      server.close();
    },
  };
}

describe('after a while, a connection', () => {
  test('is closed if its client does not read an answer', async () => {
    using used = await connected((_, response) => response.end(MUCH));

    used.send();

    await once(used.socket, 'close');
  });

  test('is closed if nothing follows an answer', async () => {
    using used = await connected((_, response) => response.end());

    used.send();
    used.client.resume();

    await once(used.socket, 'close');
  });

  test('stays open while its request is being answered', async () => {
    const answered = Promise.withResolvers<void>();
    using used = await connected(async (_, response) => {
      await once(response, 'timeout');
      response.end('late');
      answered.resolve();
    });

    used.send();
    await answered.promise;
    const [text] = await once(used.client.setEncoding('utf8'), 'data');

    assert.match(text, /late/);
  });
});
