import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordingListener, NEVER } from '../../../tests/support/servers/upstream-connection.ts';
import { createMemoryServer } from '../../../tests/support/servers/upstream-memory.ts';
import { createPeer } from './peer.ts';

test('a message of a server that cannot be handled is dropped, and the connection goes on', async () => {
  const server = createMemoryServer();
  const listener = createRecordingListener();
  const peer = createPeer(server.transport, listener);
  const asked = peer.request(
    'tools/call',
    {},
    {
      signal: NEVER,
      timeoutMs: Number.POSITIVE_INFINITY,
      onProgress({ progress }) {
        // As a reader does that expects a number.
        assert.fail(Number(progress).toString());
      },
    },
  );

  server.receive({ method: 'notifications/progress', params: { progressToken: 1, progress: { toString: 1 } } });
  server.receive({ id: 1, result: {} });

  assert.deepEqual(await asked, {});
  assert.deepEqual(listener.of('noise'), ['A message of the server could not be handled and was dropped.']);
});
