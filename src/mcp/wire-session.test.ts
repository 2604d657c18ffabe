import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { bareWire } from '../../tests/support/mcp/bare-wire.ts';
import { initializeParams, notification, request } from '../../tests/support/mcp/rpc-message.ts';

describe('a session that is saved', () => {
  test('is on disk before the client has its answer', async () => {
    const disk = Promise.withResolvers<void>();
    const { session } = bareWire();
    const { wire, answered, answer } = bareWire({ session: { ...session, saved: () => disk.promise } });
    wire.receive(request('initialize', initializeParams('2025-11-25'), 1));

    const answering = answer(1);
    await turn();
    const before = answered.length;
    disk.resolve();
    await answering;

    assert.equal(before, 0);
    assert.deepEqual(
      answered.map(({ id }) => id),
      [1],
    );
  });

  test('of a client that sends requests without waiting is answered first', async () => {
    const disk = Promise.withResolvers<void>();
    const { session } = bareWire();
    const { wire, answered, answer } = bareWire({ session: { ...session, saved: () => disk.promise } });
    wire.receive(request('initialize', initializeParams('2025-11-25'), 1));
    wire.receive(request('tools/list', {}, 2));

    const answering = [answer(1), answer(2)];
    await turn();
    disk.resolve();
    await Promise.all(answering);

    assert.deepEqual(
      answered.map(({ id }) => id),
      [1, 2],
    );
  });

  test('whose initialize is cancelled while it is saved gets no answer', async () => {
    const disk = Promise.withResolvers<void>();
    const { session } = bareWire();
    const { wire, answered, answer } = bareWire({ session: { ...session, saved: () => disk.promise } });
    wire.receive(request('initialize', initializeParams('2025-11-25'), 1));
    const answering = answer(1);

    wire.receive(notification('notifications/cancelled', { requestId: 1 }));
    disk.resolve();
    await answering;

    assert.deepEqual(answered, []);
  });
});
