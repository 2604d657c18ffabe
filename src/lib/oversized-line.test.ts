import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createFramer, type Frame } from './framing.ts';
import { createIdScanner } from './id-scanner.ts';

const LIMIT = 64;

describe('a line over the limit', () => {
  test('of exactly the limit passes, of one byte more does not', () => {
    const fits = JSON.stringify('x'.repeat(LIMIT - 2));
    const over = JSON.stringify('x'.repeat(LIMIT - 1));

    const frames = framesOf([`${fits}\n${over}\n`]);

    assert.deepEqual(frames, [
      { kind: 'message', message: 'x'.repeat(LIMIT - 2) },
      { kind: 'too-long', id: null },
    ]);
  });

  test('is refused with its id, skipped, and the next one is read', () => {
    const over = call({ id: 7, params: { text: 'x'.repeat(500) } });

    assert.deepEqual(framesOf([`${over}\n{"a":1}\n`]), [
      { kind: 'too-long', id: 7 },
      { kind: 'message', message: { a: 1 } },
    ]);
  });

  test('is refused with its id in any chunks, and even if it never ends', () => {
    const over = call({ params: { text: 'x'.repeat(500) }, id: 'last' });
    const pieces = over.match(/.{1,7}/g) ?? [];

    assert.deepEqual(framesOf(pieces), [{ kind: 'too-long', id: 'last' }]);
  });

  test('is not kept in memory', () => {
    const frames: Frame[] = [];
    const framer = createFramer({ maxLineBytes: LIMIT, idOf: 'request', onFrame: (frame) => frames.push(frame) });
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;

    for (let count = 0; count < 500; count += 1) framer.push(chunk);
    framer.push(Buffer.from('\n'));

    assert.deepEqual(frames, [{ kind: 'too-long', id: null }]);
    assert.ok(process.memoryUsage().arrayBuffers - before < 10 * 1024 * 1024);
  });
});

describe('the id of a request that is too large', () => {
  test('is the outermost one, at any position', () => {
    assert.equal(idIn(call({ id: 5, params: { id: 6 } })), 5);
    assert.equal(idIn(call({ params: { id: 6, nested: [{ id: 7 }] }, id: 5 })), 5);
    assert.equal(idIn('{ "id" : 5 , "method" : "x" }'), 5);
    assert.equal(idIn('{"method":"x","id"\n:\t"abc"\r}'), 'abc');
  });

  test('is not taken from texts that look like one', () => {
    assert.equal(idIn(call({ params: '{"id":5}' })), null);
    assert.equal(idIn(call({ note: '"id":5,', params: { note: '\\","id":6,' } })), null);
    assert.equal(idIn('{"method":"x","\\"id":5}'), null);
  });

  test('may have escapes and any characters, and be zero, negative or empty', () => {
    for (const id of ['a"b\\c', 'žluť 🐎', '\ud800', 0, -3, '']) assert.equal(idIn(call({ id })), id);
  });

  test('is undefined if it is not a string or integer, or too long to be repeated', () => {
    for (const id of [null, true, 1.5, {}, [], [5], { id: 5 }, 1e300]) assert.equal(idIn(call({ id })), null);
    assert.equal(idIn(call({ id: 'x'.repeat(10_000) })), null);
  });

  test('is undefined for a batch, invalid JSON and an empty line', () => {
    for (const text of ['', '[{"id":5,"method":"x"}]', 'id:5', '"id":5', '}}}{"id":5', '{"id":5']) {
      assert.equal(idIn(text), null);
    }
  });

  test('is undefined for a response: the client would take our refusal for the answer to its own request', () => {
    assert.equal(idIn(JSON.stringify({ jsonrpc: '2.0', id: 5, result: {} })), null);
    assert.equal(idIn(JSON.stringify({ jsonrpc: '2.0', result: { method: 'x' }, id: 5 })), null);
  });

  test('is found only in a response where an answer is expected', () => {
    const scanner = createIdScanner('answer');
    const other = createIdScanner('answer');

    scanner.push(Buffer.from(JSON.stringify({ jsonrpc: '2.0', result: { method: 'x' }, id: 5 })));
    other.push(Buffer.from(call({ id: 5 })));

    assert.equal(scanner.id(), 5);
    assert.equal(other.id(), null);
  });

  test('is the one a JSON parser finds, for any request in any chunks', () => {
    const requests = fc.record(
      {
        jsonrpc: fc.constant('2.0'),
        params: fc.jsonValue(),
        id: fc.oneof(fc.string(), fc.integer()),
        x: fc.jsonValue(),
      },
      { requiredKeys: ['id'] },
    );
    fc.assert(
      fc.property(requests, fc.boolean(), fc.integer({ min: 1, max: 20 }), (request, indented, size) => {
        const text = JSON.stringify({ method: 'tools/call', ...request }, undefined, indented ? 2 : 0);

        assert.equal(idIn(text, size), request.id);
      }),
    );
  });

  test('can be searched for in any bytes without an error', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void createIdScanner('request').push(Buffer.from(bytes))));
  });
});

function call(fields: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', ...fields });
}

function idIn(text: string, size = text.length + 1) {
  const scanner = createIdScanner('request');
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size));
  return scanner.id();
}

function framesOf(chunks: readonly string[]): Frame[] {
  const frames: Frame[] = [];
  const framer = createFramer({ maxLineBytes: LIMIT, idOf: 'request', onFrame: (frame) => frames.push(frame) });
  for (const chunk of chunks) framer.push(Buffer.from(chunk));
  framer.end();
  return frames;
}
