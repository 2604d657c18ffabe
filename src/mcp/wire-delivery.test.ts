import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bareWire } from '../../tests/support/mcp/bare-wire.ts';
import { notification, request } from '../../tests/support/mcp/rpc-message.ts';

describe('the delivery callback of an answer', () => {
  test('is called by the writer', async () => {
    const { wire, answer, told, settle } = build(true);
    wire.receive(request('tools/call', { name: 'x' }, 1));
    wire.onDelivery(1, settle);

    await answer(1);

    assert.deepEqual(told, [true]);
  });

  test('is called with false when the request was cancelled', () => {
    const { wire, told, settle } = build(true);
    wire.receive(request('tools/call', { name: 'x' }, 1));
    wire.onDelivery(1, settle);

    wire.receive(notification('notifications/cancelled', { requestId: 1 }));
    wire.onDelivery(1, settle);

    assert.deepEqual(told, [false, false]);
  });

  test('is called with false when the client has disconnected', () => {
    const { wire, told, settle } = build(true);
    wire.receive(request('tools/call', { name: 'x' }, 1));
    wire.onDelivery(1, settle);

    wire.abandon();

    assert.deepEqual(told, [false]);
  });

  test('is called with false when an error replaced it', async () => {
    const { wire, told, settle } = build(true);
    wire.receive(request('tools/call', { name: 'x' }, 1));
    wire.onDelivery(1, settle);

    await wire.transport.send({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'No.' } });

    assert.deepEqual(told, [false]);
  });

  test('is called with false when it could not be serialized', async () => {
    const { wire, answer, told, settle } = build('fails');
    wire.receive(request('tools/call', { name: 'x' }, 1));
    wire.onDelivery(1, settle);

    await answer(1);

    assert.deepEqual(told, [false]);
  });
});

function build(delivered: boolean | 'fails') {
  const told: boolean[] = [];
  const wire = bareWire({
    async write(_message, _options, settle) {
      if (delivered === 'fails') throw new Error('too deep');
      settle?.(delivered);
    },
  });
  return { ...wire, told, settle: (value: boolean) => void told.push(value) };
}
