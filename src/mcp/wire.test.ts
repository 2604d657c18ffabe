import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { bareWire, WIRE_LIMIT_MS } from '../../tests/support/mcp/bare-wire.ts';
import { initializeParams, notification, request, stateless } from '../../tests/support/mcp/rpc-message.ts';

const CALL = { name: 'echo' };

describe('a request on the wire', () => {
  test('is passed on, counted while it runs, and answered once', async () => {
    const { wire, delivered, answered, answer } = bareWire();

    wire.receive(request('tools/list', {}, 1));
    const runningMeanwhile = wire.running();
    await answer(1);
    await answer(1);

    assert.deepEqual(delivered, [request('tools/list', {}, 1)]);
    assert.equal(runningMeanwhile, 1);
    assert.equal(wire.running(), 0);
    assert.deepEqual(answered, [{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test('with the id of a running one is refused, and the running one is answered', async () => {
    const { wire, delivered, answered, answer } = bareWire();
    wire.receive(request('tools/call', CALL, 1));

    wire.receive(request('tools/list', {}, 1));
    await answer(1);

    assert.equal(delivered.length, 1);
    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.code]),
      [
        [1, -32600],
        [1, undefined],
      ],
    );
  });

  test('may have the id of one that was answered', async () => {
    const { wire, delivered, answer } = bareWire();
    wire.receive(request('ping', {}, 1));
    await answer(1);

    wire.receive(request('ping', {}, 1));

    assert.equal(delivered.length, 2);
  });

  test('CHAT-33 over the limit is refused as busy, with the code of its protocol version', () => {
    const { wire, answered } = bareWire({}, 1);
    wire.receive(request('tools/call', CALL, 1));

    wire.receive(request('tools/call', CALL, 2));
    wire.receive(request('tools/call', stateless(CALL), 3));

    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.code, error?.data?.code]),
      [
        [2, -32000, 'BUSY'],
        [3, -32603, 'BUSY'],
      ],
    );
  });

  test('that is refused as busy changes nothing: initialize can be sent again', async () => {
    const { wire, answered, answer, session } = bareWire({}, 1);
    wire.receive(request('ping', {}, 1));

    wire.receive(request('initialize', initializeParams('2025-06-18'), 2));
    const refused = session.current();
    await answer(1);
    wire.receive(request('initialize', initializeParams('2025-06-18'), 3));

    assert.equal(answered[0]?.error?.data?.code, 'BUSY');
    assert.equal(refused, undefined);
    assert.equal(session.current()?.state, 'initializing');
  });

  test('CHAT-33 that exceeds its timeout is cancelled internally and answered with an error, and never again', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { wire, delivered, answered, answer } = bareWire();
    wire.receive(request('tools/call', CALL, 1));

    context.mock.timers.tick(WIRE_LIMIT_MS);
    await answer(1);

    assert.partialDeepStrictEqual(delivered[1], { method: 'notifications/cancelled', params: { requestId: 1 } });
    assert.deepEqual(
      answered.map(({ error }) => error?.data?.code),
      ['TIMEOUT'],
    );
    assert.equal(wire.running(), 0);
  });

  test('that the client cancels gets no answer, and no longer counts as running', async () => {
    const onCancelled = mock.fn();
    const { wire, delivered, answered, answer } = bareWire({ onCancelled }, 1);
    wire.receive(request('tools/call', CALL, 1));

    wire.receive(notification('notifications/cancelled', { requestId: 1 }));
    await answer(1);
    wire.receive(request('ping', {}, 2));

    assert.deepEqual(answered, []);
    assert.deepEqual(onCancelled.mock.calls[0]?.arguments, [1]);
    assert.deepEqual(
      delivered.map((message) => 'method' in message && message.method),
      ['tools/call', 'notifications/cancelled', 'ping'],
    );
  });

  test('whose answer cannot be serialized is answered with an error', async () => {
    const { wire, answered, answer } = bareWire();
    wire.receive(request('tools/call', CALL, 1));

    await answer(1, { deep: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) });

    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.code]),
      [[1, -32603]],
    );
  });
});

describe('the parameters of a request', () => {
  const wrong: [string, object, string][] = [
    ['tools/call', {}, 'name is required.'],
    ['tools/call', { name: 5 }, 'name must be a string.'],
    ['tools/call', { name: 'echo', arguments: 'text' }, 'arguments must be an object.'],
    ['tools/call', { name: 'echo', arguments: [1] }, 'arguments must be an object.'],
    ['logging/setLevel', {}, 'level must be one of the levels of syslog, such as info or warning.'],
  ];
  for (const [method, params, message] of wrong) {
    test(`of ${method} are refused with our message: ${JSON.stringify(params)}`, () => {
      const { wire, delivered, answered } = bareWire();

      wire.receive(request(method, params, 1));

      assert.equal(delivered.length, 0);
      assert.partialDeepStrictEqual(answered, [{ id: 1, error: { code: -32602, message } }]);
      assert.equal(wire.running(), 0);
    });
  }
});

describe('a message that is not a request', () => {
  test('CORE-09 a notification of any kind gets no answer', () => {
    const { wire, delivered, answered } = bareWire();

    wire.receive(notification('notifications/unknown'));
    wire.receive(notification('tools/call', { name: 'x' }));
    wire.receive(notification('notifications/cancelled'));
    wire.receive(notification('notifications/cancelled', { requestId: { toString: 1 } }));
    wire.receive({ jsonrpc: '2.0', method: 'x', params: [] });

    assert.equal(delivered.length, 4);
    assert.deepEqual(answered, []);
  });

  test('a response is passed on, and a broken one ignored', () => {
    const { wire, delivered, answered } = bareWire();

    wire.receive({ jsonrpc: '2.0', id: 5, result: {} });
    wire.receive({ jsonrpc: '2.0', id: 5, result: 'x' });

    assert.equal(delivered.length, 1);
    assert.deepEqual(answered, []);
  });

  test('that the SDK throws at has no effect on other messages', () => {
    const { wire, answered } = bareWire();
    wire.transport.onmessage = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };

    wire.receive({ jsonrpc: '2.0', id: 5, result: {} });
    wire.receive(notification('notifications/progress', {}));
    wire.receive(request('ping', {}, 6));

    assert.partialDeepStrictEqual(answered, [{ id: 6, error: { code: -32603 } }]);
    assert.equal(wire.running(), 0);
  });

  test('a broken envelope is refused with the id that could be read', () => {
    const { wire, answered } = bareWire();

    wire.receive('text');
    wire.receive({ jsonrpc: '2.0', id: 5, method: 5 });
    wire.receive({ jsonrpc: '2.0', id: 6, method: 'x', params: [] });

    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.code]),
      [
        [null, -32600],
        [5, -32600],
        [6, -32602],
      ],
    );
  });

  test('a batch is split; an empty or too long one is refused as a whole', () => {
    const { wire, delivered, answered } = bareWire();

    wire.receive([request('ping', {}, 1), notification('x'), 5]);
    wire.receive([]);
    wire.receive(Array.from({ length: 100_000 }, () => 5));

    assert.equal(delivered.length, 2);
    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.code]),
      [
        [null, -32600],
        [null, -32600],
        [null, -32600],
      ],
    );
  });
});

describe('the session on the wire', () => {
  test('CORE-04 a second initialize is refused', () => {
    const { wire, delivered, answered } = bareWire();
    wire.receive(request('initialize', initializeParams('2025-06-18'), 1));

    wire.receive(request('initialize', initializeParams('2025-06-18'), 2));

    assert.equal(delivered.length, 1);
    assert.partialDeepStrictEqual(answered, [{ id: 2, error: { code: -32600, data: { code: 'CONFLICT' } } }]);
    assert.equal(wire.running(), 1);
  });

  test('CORE-04 is abandoned where the SDK refuses the initialize', async () => {
    const { wire, session } = bareWire();
    wire.receive(request('initialize', initializeParams('2025-06-18'), 1));

    await wire.transport.send({ jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'not here' } });
    await session.saved();

    assert.equal(session.current(), undefined);
  });

  test('keeps its era, even if a request claims another', async () => {
    const { wire, answered, answer } = bareWire({}, 1);
    wire.receive(request('initialize', initializeParams('2025-06-18'), 1));
    await answer(1);
    wire.receive(request('tools/call', CALL, 2));

    wire.receive(request('tools/call', stateless(CALL), 3));

    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.code]),
      [
        [1, undefined],
        [3, -32000],
      ],
    );
  });

  test('follows initialized and the log level, and refuses a level that does not exist', () => {
    const setLogLevel = mock.fn();
    const { wire, answered, session } = bareWire({ setLogLevel });
    wire.receive(request('initialize', initializeParams('2025-06-18'), 1));

    wire.receive(notification('notifications/initialized'));
    wire.receive(request('logging/setLevel', { level: 'debug' }, 2));
    wire.receive(request('logging/setLevel', { level: 'loud' }, 3));

    assert.partialDeepStrictEqual(session.current(), { state: 'ready', logLevel: 'debug' });
    assert.deepEqual(
      setLogLevel.mock.calls.map(({ arguments: [level] }) => level),
      ['debug'],
    );
    assert.partialDeepStrictEqual(answered, [{ id: 3, error: { code: -32602, data: { field: 'level' } } }]);
    assert.equal(wire.running(), 2);
  });

  test('CORE-02 shutdown is answered after all running requests, and reported only then', async () => {
    const onShutdown = mock.fn();
    const { wire, answered, answer } = bareWire({ onShutdown });
    wire.receive(request('tools/call', CALL, 1));

    wire.receive(request('shutdown', undefined, 2));
    wire.receive(request('ping', {}, 3));
    wire.receive(request('shutdown', undefined, 4));
    const saidBefore = onShutdown.mock.callCount();
    await answer(1);
    await turn();

    assert.equal(saidBefore, 0);
    assert.equal(onShutdown.mock.callCount(), 1);
    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.data?.code]),
      [
        [3, 'SERVICE_UNAVAILABLE'],
        [4, 'SERVICE_UNAVAILABLE'],
        [1, undefined],
        [2, undefined],
      ],
    );
  });
});

describe('the end of a connection', () => {
  test('CHAT-03 waits for running requests and refuses new ones', async () => {
    const { wire, answered, answer } = bareWire();
    wire.receive(request('tools/call', CALL, 1));
    wire.receive(request('tools/call', CALL, 2));
    let drained = false;
    const draining = wire.drain().then(() => {
      drained = true;
    });

    await answer(1);
    wire.receive(request('ping', stateless(), 3));
    const drainedEarly = drained;
    await answer(2);
    await draining;

    assert.equal(drainedEarly, false);
    assert.deepEqual(
      answered.map(({ id, error }) => [id, error?.data?.code]),
      [
        [1, undefined],
        [3, 'SERVICE_UNAVAILABLE'],
        [2, undefined],
      ],
    );
  });

  test('does not wait for anything when the client has disconnected', async () => {
    const { wire, answered, answer } = bareWire();
    wire.receive(request('tools/call', CALL, 1));
    const draining = wire.drain();

    wire.abandon();
    await draining;
    await answer(1);

    assert.deepEqual(answered, []);
  });

  test('is immediate when nothing runs, or when all running requests are cancelled or timed out', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { wire } = bareWire();
    await wire.drain();
    const busy = bareWire().wire;
    busy.receive(request('tools/call', CALL, 1));
    busy.receive(request('tools/call', CALL, 2));
    const draining = busy.drain();

    busy.receive(notification('notifications/cancelled', { requestId: 1 }));
    context.mock.timers.tick(WIRE_LIMIT_MS);

    await draining;
    assert.equal(busy.running(), 0);
  });
});
