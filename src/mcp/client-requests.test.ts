import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import { ClientRefusal } from '../domain/gateway.ts';
import { createClientRequests } from './client-requests.ts';

const NEVER = new AbortController().signal;

function createWorld(write: () => Promise<void> = async () => {}) {
  const sent: { message: JSONRPCMessage; options: TransportSendOptions | undefined }[] = [];
  const requests = createClientRequests((message, options) => {
    sent.push({ message, options });
    return write();
  });
  const idOf = (index: number) => (sent[index]?.message as { id?: string } | undefined)?.id ?? '';
  return { sent, requests, idOf };
}

describe('requests to the client of a session', () => {
  test('HOST-22 are sent with the request they belong to, and answered by id', async () => {
    const { sent, requests, idOf } = createWorld();
    const one = requests.ask(7, 'roots/list', {}, NEVER);
    const two = requests.ask(undefined, 'elicitation/create', { message: '?' }, NEVER);

    const isTaken = requests.take({ jsonrpc: '2.0', id: idOf(1), result: { action: 'accept' } });
    requests.take({ jsonrpc: '2.0', id: idOf(0), result: { roots: [] } });

    assert.equal(isTaken, true);
    assert.deepEqual(await Promise.all([one, two]), [{ roots: [] }, { action: 'accept' }]);
    assert.deepEqual(
      sent.map(({ options }) => options),
      [{ relatedRequestId: 7 }, undefined],
    );
  });

  test('HOST-22 an answer to something else is not taken, and neither is a second one', async () => {
    const { requests, idOf } = createWorld();
    const asked = requests.ask(1, 'roots/list', {}, NEVER);

    assert.equal(requests.take({ jsonrpc: '2.0', id: 1, result: {} }), false);
    assert.equal(requests.take({ jsonrpc: '2.0', id: idOf(0), result: {} }), true);
    await asked;
    assert.equal(requests.take({ jsonrpc: '2.0', id: idOf(0), result: {} }), false);
  });

  test('HOST-22 an error of the client keeps its code and message', async () => {
    const { requests, idOf } = createWorld();
    const asked = requests.ask(1, 'sampling/createMessage', {}, NEVER);

    requests.take({ jsonrpc: '2.0', id: idOf(0), error: { code: -1, message: 'User rejected sampling request' } });

    await assert.rejects(asked, (thrown) => {
      assert.ok(thrown instanceof ClientRefusal);
      assert.deepEqual([thrown.code, thrown.message], [-1, 'User rejected sampling request']);
      return true;
    });
  });

  test('HOST-22 one that is not wanted any more is cancelled', async () => {
    const { sent, requests, idOf } = createWorld();
    const stop = new AbortController();
    const asked = requests.ask(1, 'elicitation/create', {}, stop.signal);

    stop.abort(new Error('withdrawn'));

    await assert.rejects(asked, /withdrawn/);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: idOf(0) } };
    assert.deepEqual(sent[1]?.message, cancelled);
  });

  test('HOST-22 fail when the client has disconnected, or cannot be written to', async () => {
    const { requests } = createWorld();
    const asked = requests.ask(1, 'roots/list', {}, NEVER);
    requests.close();
    const broken = createWorld(async () => {
      throw new Error('no stream');
    });

    await assert.rejects(asked, { code: 'SERVICE_UNAVAILABLE' });
    await assert.rejects(requests.ask(1, 'roots/list', {}, NEVER), { code: 'SERVICE_UNAVAILABLE' });
    await assert.rejects(broken.requests.ask(1, 'roots/list', {}, NEVER), /no stream/);
  });
});
