import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { bareWire } from '../../tests/support/mcp/bare-wire.ts';
import { notification, request, stateless } from '../../tests/support/mcp/rpc-message.ts';
import { AppError } from '../domain/errors.ts';

describe('a listen request', () => {
  const LISTEN = stateless({ notifications: { resourceSubscriptions: ['a://*'] } });

  test('starts when it is allowed, and its end releases its resources', async () => {
    const { wire, delivered, answered, answer, listens } = buildListening();
    wire.receive(request('subscriptions/listen', LISTEN, 1));
    await turn();
    const heldWhileOpen = listens.size;

    await answer(1);

    assert.equal(delivered.length, 1);
    assert.equal(heldWhileOpen, 1);
    assert.equal(listens.size, 0);
    assert.equal(answered.length, 1);
  });

  test('that is not allowed is refused, and its id is free again', async () => {
    const refuse = async () => {
      throw new AppError('NOT_FOUND', 'Nothing here answers to it.');
    };
    const { wire, delivered, answered } = bareWire({ listen: refuse });

    wire.receive(request('subscriptions/listen', LISTEN, 1));
    await turn();
    wire.receive(request('ping', stateless(), 1));

    assert.partialDeepStrictEqual(answered, [{ id: 1, error: { code: -32602 } }]);
    assert.equal(delivered.length, 1);
  });

  test('whose URIs are not texts is refused', async () => {
    const { wire, answered, delivered } = buildListening();

    wire.receive(
      request('subscriptions/listen', stateless({ notifications: { resourceSubscriptions: [{ toString: 1 }] } }), 1),
    );
    await turn();

    assert.partialDeepStrictEqual(answered, [{ id: 1, error: { code: -32602 } }]);
    assert.equal(delivered.length, 0);
  });

  test('that is cancelled while it is checked holds no resources', async () => {
    const { wire, answered, delivered, listens } = buildListening();

    wire.receive(request('subscriptions/listen', LISTEN, 1));
    wire.receive(notification('notifications/cancelled', { requestId: 1 }));
    await turn();

    assert.equal(listens.size, 0);
    assert.ok(delivered.every((message) => !('id' in message)));
    assert.deepEqual(answered, []);
  });

  test('counts as running until it is acknowledged: closing waits for that, and no longer', async () => {
    const { wire, delivered, answered, listens } = buildListening();
    wire.receive(request('subscriptions/listen', LISTEN, 1));
    const runningBefore = wire.running();
    const draining = wire.drain();
    await turn();

    await wire.transport.send(acknowledgement(1));
    await draining;

    assert.equal(runningBefore, 1);
    assert.equal(delivered.length, 1);
    assert.deepEqual(
      answered.map(({ method }) => method),
      ['notifications/subscriptions/acknowledged'],
    );
    assert.equal(listens.size, 1);
  });
});

function acknowledgement(id: number): JSONRPCMessage {
  const params = { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': id } };
  return { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
}

function buildListening() {
  const listens = new Set<string | number>();
  const built = bareWire({
    async listen(id) {
      await turn();
      listens.add(id);
    },
    endListen: (id) => void listens.delete(id),
  });
  return { ...built, listens };
}
