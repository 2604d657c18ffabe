import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createEventParser } from './event-parser.ts';

describe('server-sent events', () => {
  test('have a type and data, in one line or several', () => {
    const parsed = parse(['data: one\n\nevent: endpoint\ndata:/a\n\ndata: two\ndata:  lines\n\ndata\n\n']);

    assert.deepEqual(parsed.events, [
      { type: 'message', data: 'one' },
      { type: 'endpoint', data: '/a' },
      { type: 'message', data: 'two\n lines' },
      { type: 'message', data: '' },
    ]);
  });

  test('end with any kind of line break', () => {
    const expected = [
      { type: 'message', data: 'a' },
      { type: 'message', data: 'b' },
    ];

    for (const end of ['\n', '\r', '\r\n']) {
      assert.deepEqual(parse([`data: a${end}${end}data: b${end}${end}`]).events, expected);
    }
  });

  test('without data are not events; comments, unknown fields and the unfinished last event are left out', () => {
    const parsed = parse([
      ': keep-alive\n\nevent: x\n\nconstructor: 1\n__proto__: 2\ndata: a\n\ndata: never finished\n',
    ]);

    assert.deepEqual(parsed.events, [{ type: 'message', data: 'a' }]);
  });

  test('have ids and retry times, where these are valid', () => {
    const parsed = parse(['id: 7\ndata: a\n\nid: bad\tid\nretry: 50\nretry: soon\nretry: 99999999999\ndata: b\n\n']);

    assert.deepEqual(parsed.ids, ['7']);
    assert.deepEqual(parsed.retries, [50]);
  });

  test('over the limit are skipped without being kept, and the id of the answer is found', () => {
    const large = JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: 'x'.repeat(200_000) } });
    const pieces = `data: ${large}\n\ndata: next\n\n`.match(/.{1,1000}/gs) ?? [];

    const parsed = parse(pieces);

    assert.deepEqual(parsed.tooLarge, [7]);
    assert.deepEqual(parsed.events, [{ type: 'message', data: 'next' }]);
  });

  test('over the limit in many short lines are skipped, too', () => {
    const parsed = parse([`${'data: xxxxxxxx\n'.repeat(10_000)}\n`, 'data: next\n\n']);

    assert.equal(parsed.tooLarge.length, 1);
    assert.deepEqual(parsed.events, [{ type: 'message', data: 'next' }]);
  });

  test('are the same for any chunks', () => {
    const line = fc.oneof(
      fc.constantFrom('data: a', 'data:', 'event: e', 'id: 1', ':', '', '', 'retry: 5', 'data: žluť 🐎'),
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ' ')),
    );
    const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n'))).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (stream, size) => {
        const bytes = Buffer.from(stream);
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));

        assert.deepEqual(parse(chunks), parse([bytes]));
      }),
    );
  });
});

function parse(chunks: readonly (string | Buffer)[]) {
  const events: unknown[] = [];
  const ids: string[] = [];
  const retries: number[] = [];
  const tooLarge: unknown[] = [];
  const parser = createEventParser({
    maxBytes: 10_000,
    onEvent: (event) => events.push(event),
    onTooLarge: (id) => tooLarge.push(id),
    onId: (id) => ids.push(id),
    onRetry: (milliseconds) => retries.push(milliseconds),
  });
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  return { events, ids, retries, tooLarge };
}
