import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { createEventStream } from '../../src/mcp/event-stream.ts';
import { openHttpDoor, rawRequest } from '../support/http/door.ts';

/** More than the kernel buffers of both ends take. */
const LARGE = 'x'.repeat(32 * 1024 * 1024);

async function unreadResponse(context: TestContext, answer: (response: ServerResponse) => void) {
  const answering = Promise.withResolvers<ServerResponse>();
  const door = await openHttpDoor(
    context,
    {
      async mcp(_request, response) {
        answer(response);
        answering.resolve(response);
      },
    },
    { connectTimeoutMs: 200 },
  );
  const { hostname, port } = new URL(door.url);
  const client = connect(Number(port), hostname).pause();
  context.after(() => client.destroy());
  client.write('GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return { response: await answering.promise, url: door.url };
}

describe('a client that does not read', () => {
  test('an answer is disconnected, and the answer is released', async (context) => {
    const { response } = await unreadResponse(context, (to) => void to.end(LARGE));

    await once(response, 'close');

    assert.equal(response.writableFinished, false);
  });

  test('a stream is disconnected, also while the stream has nothing new', async (context) => {
    const stream = createEventStream('s1');
    const { response } = await unreadResponse(context, (to) => {
      stream.attach(to, {});
      // Below the limit of unread bytes, which would disconnect it immediately.
      stream.push(LARGE.slice(0, 15 * 1024 * 1024));
    });

    await once(response, 'close');

    assert.equal(stream.attached, false);
  });
});

test('a client that waits for a slow answer, or for events, is not disconnected', async (context) => {
  const { promise: later, resolve } = Promise.withResolvers<void>();
  const door = await openHttpDoor(
    context,
    { mcp: async (_request, response) => void later.then(() => response.end('late')) },
    { connectTimeoutMs: 50 },
  );

  const answer = rawRequest(door.url, { path: '/mcp' });
  // Several times the timeout, in which nothing is sent in either direction.
  setTimeout(resolve, 400);

  assert.equal((await answer).text, 'late');
});
