import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createInFlight } from './in-flight.ts';

const line = (message: unknown) => Buffer.from(`${JSON.stringify(message)}\n`);
const ask = (id: string | number, method = 'tools/call', params: object = {}) =>
  line({ jsonrpc: '2.0', id, method, params });
const answer = (id: string | number, result: unknown = {}) => line({ jsonrpc: '2.0', id, result });

/** Ids, and content of a message: quotes, brackets and text that looks like an id. */
const ids = fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { maxLength: 20 });
const filling = fc.jsonValue({ maxDepth: 3 });

describe('requests in flight', () => {
  test('are all those sent and not answered, with any content', () => {
    fc.assert(
      fc.property(ids, filling, fc.integer({ min: 0, max: 20 }), fc.boolean(), (all, value, answered, isHuge) => {
        const inFlight = createInFlight();
        const padding = isHuge ? '"]}[{\\'.repeat(12_000) : '';

        for (const id of all) inFlight.asked(ask(id, 'tools/call', { value, id: 'inner', padding }));
        for (const id of all.slice(0, answered)) inFlight.answered(answer(id, { value, id: 'inner', padding }));

        assert.deepEqual(inFlight.settle('dead').owed, all.slice(answered));
      }),
      { numRuns: 60 },
    );
  });

  test('a request and its answer are matched by id, in any order of keys', () => {
    const written = fc.shuffledSubarray(['jsonrpc', 'id', 'method', 'params'], { minLength: 4 });
    fc.assert(
      fc.property(fc.nat(), filling, written, fc.shuffledSubarray(['jsonrpc', 'id', 'result'], { minLength: 3 }), run),
      { examples: [[7, { id: 8 }, ['method', 'params', 'jsonrpc', 'id'], ['result', 'jsonrpc', 'id']]] },
    );

    function run(id: number, value: unknown, asked: readonly string[], answered: readonly string[]): void {
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { value, id: 1 }, result: { value, id: 1 } };
      const inFlight = createInFlight();

      inFlight.asked(ordered(message, asked));
      inFlight.asked(ordered({ ...message, id: id + 1 }, asked));
      inFlight.answered(ordered(message, answered));

      assert.deepEqual(inFlight.settle('dead').owed, [id + 1]);
    }

    function ordered(message: Record<string, unknown>, keys: readonly string[]): Buffer {
      return line(Object.fromEntries(keys.map((key) => [key, message[key]])));
    }
  });

  test('of two ids in one line the last counts, as in JSON.parse', () => {
    const inFlight = createInFlight();

    inFlight.asked(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{},"id":2}\n'));

    assert.deepEqual(inFlight.settle('dead').owed, [2]);
  });

  for (const malformed of [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":}}\n',
    '{"method":"tools/call","params":[},"jsonrpc":"2.0","id":1}\n',
  ]) {
    test(`a malformed request is not tracked: ${malformed.trim()}`, () => {
      const inFlight = createInFlight();

      inFlight.asked(Buffer.from(malformed));

      assert.deepEqual(inFlight.settle('in good order'), { again: [], beginsAnew: false, owed: [] });
    });
  }

  test('a line that was refused as invalid JSON is removed, the others remain', () => {
    const inFlight = createInFlight();
    const good = ask(2);

    inFlight.asked(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":}}\n'));
    inFlight.asked(good);
    inFlight.answered(line({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error.' } }));

    assert.deepEqual(inFlight.settle('in good order').again, [good]);
  });

  test('a huge line is known by its id, at any position', () => {
    const inFlight = createInFlight();
    const padding = 'x'.repeat(200_000);

    inFlight.asked(
      line({ params: { id: 'wrong', method: 'wrong', padding, list: [1, [{}]] }, method: 'tools/call', id: 'r' }),
    );

    assert.deepEqual(inFlight.settle('dead').owed, ['r']);
  });

  test('requests of a batch are tracked separately, a huge one too', () => {
    const inFlight = createInFlight();
    const one = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { padding: 'x'.repeat(50_000) } });

    inFlight.asked(line([one(1), one(2), one(3)]));
    inFlight.answered(line([{ jsonrpc: '2.0', id: 2, result: {} }]));

    assert.deepEqual(inFlight.settle('in good order'), { again: [], beginsAnew: false, owed: [1, 3] });
  });

  test('notifications, answers of the client and invalid JSON are not tracked', () => {
    const inFlight = createInFlight();

    inFlight.asked(line({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    inFlight.asked(line({ jsonrpc: '2.0', id: 1, result: {} }));
    inFlight.asked(line({ jsonrpc: '2.0', id: null, method: 'ping' }));
    for (const text of [
      'no JSON\n',
      '\n',
      'null\n',
      '[]\n',
      '"x"\n',
      `${'['.repeat(100_000)}\n`,
      `"${'x'.repeat(70_000)}\n`,
    ]) {
      inFlight.asked(Buffer.from(text));
      inFlight.answered(Buffer.from(text));
    }

    assert.deepEqual(inFlight.settle('owe all').owed, []);
  });

  test('a request that the client cancelled is not tracked', () => {
    const inFlight = createInFlight();
    inFlight.asked(ask(1));

    inFlight.asked(line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }));

    assert.deepEqual(inFlight.settle('dead').owed, []);
  });

  test('a request of the server with the same id is not an answer', () => {
    const inFlight = createInFlight();
    inFlight.asked(ask(1));

    inFlight.answered(ask(1, 'sampling/createMessage'));

    assert.deepEqual(inFlight.settle('dead').owed, [1]);
  });

  test('a daemon that exits cleanly has not begun what it has not answered: it is sent again', () => {
    const inFlight = createInFlight();
    inFlight.asked(ask(1));
    inFlight.asked(ask(2));
    inFlight.answered(answer(1));

    const settled = inFlight.settle('in good order');

    assert.deepEqual(settled, { again: [ask(2)], beginsAnew: false, owed: [] });
    assert.deepEqual(inFlight.settle('dead').owed, []);
  });

  test('after a crash only requests that start a session are sent again', () => {
    const inFlight = createInFlight();
    inFlight.asked(ask(1, 'initialize'));
    inFlight.asked(ask(2, 'tools/call'));

    assert.deepEqual(inFlight.settle('dead'), { again: [ask(1, 'initialize')], beginsAnew: true, owed: [2] });
  });
});
