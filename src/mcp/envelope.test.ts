import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { openEnvelope } from './envelope.ts';

describe('a JSON value as a JSON-RPC message', () => {
  test('is a request with an id of text or a whole number', () => {
    for (const id of [0, -1, 'a', '', Number.MAX_SAFE_INTEGER]) {
      assert.deepEqual(openEnvelope({ jsonrpc: '2.0', id, method: 'ping' }), {
        kind: 'request',
        message: { jsonrpc: '2.0', id, method: 'ping' },
      });
    }
  });

  test('is a notification without an id', () => {
    assert.deepEqual(openEnvelope({ jsonrpc: '2.0', method: 'x', params: { a: 1 } }), {
      kind: 'notification',
      message: { jsonrpc: '2.0', method: 'x', params: { a: 1 } },
    });
  });

  test('is a response with a result or an error', () => {
    const result = { jsonrpc: '2.0', id: 1, result: { a: 1 } };
    const error = { jsonrpc: '2.0', id: 'x', error: { code: -1, message: 'no', data: [1] } };

    assert.deepEqual(openEnvelope(result), { kind: 'response', message: result });
    assert.deepEqual(openEnvelope(error), { kind: 'response', message: error });
  });

  test('has only the fields of the protocol', () => {
    const { message } = openEnvelope({ jsonrpc: '2.0', id: 1, method: 'x', extra: 1, result: 2 }) as {
      message: object;
    };

    assert.deepEqual(Object.keys(message).sort(), ['id', 'jsonrpc', 'method']);
  });
});

describe('a broken envelope', () => {
  const refused: [string, unknown, number | string | null, RegExp][] = [
    ['a text', 'x', null, /JSON object/],
    ['null', null, null, /JSON object/],
    ['a batch inside a batch', [{}], null, /JSON object/],
    ['an empty object', {}, null, /jsonrpc/],
    ['another version', { jsonrpc: '1.0', id: 3, method: 'x' }, 3, /jsonrpc/],
    ['nothing to do', { jsonrpc: '2.0', id: 3 }, 3, /a method, a result or an error/],
    ['a method that is no text', { jsonrpc: '2.0', id: 3, method: 5 }, 3, /method must be a string/],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'x' }, null, /id must be/],
    ['an id with a fraction', { jsonrpc: '2.0', id: 1.5, method: 'x' }, null, /id must be/],
    ['an id that is too large a number', { jsonrpc: '2.0', id: 2 ** 53, method: 'x' }, null, /id must be/],
    ['an id that is an object', { jsonrpc: '2.0', id: { a: 1 }, method: 'x' }, null, /id must be/],
  ];
  for (const [what, value, id, problem] of refused) {
    test(`is refused as an invalid request: ${what}`, () => {
      const envelope = openEnvelope(value);

      assert.partialDeepStrictEqual(envelope, { kind: 'invalid', id, code: -32600 });
      assert.match('problem' in envelope ? envelope.problem : '', problem);
    });
  }

  const badParams: [string, unknown, RegExp][] = [
    ['that are a list', [1], /params must be an object/],
    ['that are null', null, /params must be an object/],
    ['whose _meta is no object', { _meta: 5 }, /_meta must be an object/],
    ['whose progress token is no id', { _meta: { progressToken: 1.5 } }, /progressToken/],
    ['whose related task is no object', { _meta: { 'io.modelcontextprotocol/related-task': 5 } }, /related-task/],
    ['whose related task has no id', { _meta: { 'io.modelcontextprotocol/related-task': {} } }, /related-task/],
  ];
  for (const [what, params, problem] of badParams) {
    test(`of a request with parameters ${what} is refused as invalid params`, () => {
      const envelope = openEnvelope({ jsonrpc: '2.0', id: 1, method: 'x', params });

      assert.partialDeepStrictEqual(envelope, { kind: 'invalid', id: 1, code: -32602 });
      assert.match('problem' in envelope ? envelope.problem : '', problem);
    });
  }

  test('CORE-09 of a notification or a response gets no answer', () => {
    assert.equal(openEnvelope({ jsonrpc: '2.0', method: 'x', params: [1] }).kind, 'ignored');
    assert.equal(openEnvelope({ jsonrpc: '2.0', id: 1, result: 5 }).kind, 'ignored');
    assert.equal(openEnvelope({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }).kind, 'ignored');
    assert.equal(openEnvelope({ jsonrpc: '2.0', id: 1, error: 'no' }).kind, 'ignored');
    assert.equal(openEnvelope({ jsonrpc: '2.0', id: 1, result: { _meta: 5 } }).kind, 'ignored');
  });
});

test('every accepted message is accepted by the SDK, which drops others without an answer', () => {
  const meta = fc.record(
    {
      progressToken: fc.jsonValue(),
      'io.modelcontextprotocol/related-task': fc.oneof(fc.jsonValue(), fc.record({ taskId: fc.jsonValue() })),
      'io.modelcontextprotocol/serverInfo': fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({ _meta: fc.oneof(meta, fc.jsonValue()), a: fc.jsonValue() }, { requiredKeys: [] }),
  );
  const envelope = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', 2),
      id: fc.oneof(fc.string(), fc.integer(), fc.double(), fc.jsonValue()),
      method: fc.oneof(fc.string(), fc.jsonValue()),
      params: body,
      result: body,
      error: fc.oneof(
        fc.record({ code: fc.oneof(fc.integer(), fc.double()), message: fc.string(), data: fc.jsonValue() }),
        fc.jsonValue(),
      ),
      other: fc.jsonValue(),
    },
    { requiredKeys: ['jsonrpc'] },
  );
  fc.assert(
    fc.property(envelope, (value) => {
      const opened = openEnvelope(JSON.parse(JSON.stringify(value)));

      if ('message' in opened) assert.doesNotThrow(() => parseJSONRPCMessage(opened.message));
    }),
    { numRuns: 2_000 },
  );
});
