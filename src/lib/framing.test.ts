import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createFramer, type Frame } from './framing.ts';

describe('splitting bytes into lines of JSON', () => {
  test('returns each line as a message, for any kind of line end', () => {
    assert.deepEqual(framesOf(['{"a":1}\n{"b":2}\r\n  [3]  \n']), messages({ a: 1 }, { b: 2 }, [3]));
  });

  test('skips empty lines', () => {
    assert.deepEqual(framesOf(['\n\r\n   \n\t\n{"a":1}\n\n']), messages({ a: 1 }));
  });

  test('returns the text after the last newline when the stream ends', () => {
    assert.deepEqual(framesOf(['{"a":1}\n{"b":', '2}']), messages({ a: 1 }, { b: 2 }));
    assert.deepEqual(framesOf(['{"a":1}\n{"b":']), [...messages({ a: 1 }), { kind: 'malformed', text: '{"b":' }]);
  });

  test('returns nothing at the end of an empty stream, and nothing twice', () => {
    const frames: Frame[] = [];
    const framer = createFramer({ maxLineBytes: 100, idOf: 'request', onFrame: (frame) => frames.push(frame) });

    framer.push(Buffer.from('{"a":1}'));
    framer.end();
    framer.end();

    assert.deepEqual(frames, messages({ a: 1 }));
    assert.deepEqual(framesOf([]), []);
  });

  test('AGENT-14 reports invalid JSON, and continues with the next line', () => {
    assert.deepEqual(framesOf(['{"a":\nnonsense\n{"b":2}\n']), [
      { kind: 'malformed', text: '{"a":' },
      { kind: 'malformed', text: 'nonsense' },
      ...messages({ b: 2 }),
    ]);
  });

  test('replaces invalid UTF-8 inside a text by the replacement character, and reports it as malformed outside', () => {
    const broken = Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a, 0xc3, 0x28, 0x0a, 0x31, 0x0a]);

    assert.deepEqual(framesOf([broken]), [
      ...messages('\ufffd\ufffd'),
      { kind: 'malformed', text: '\ufffd(' },
      ...messages(1),
    ]);
  });

  test('joins characters that were split between two chunks', () => {
    const bytes = Buffer.from('"žluťoučký 🐎"\n');
    const single = Array.from(bytes, (byte) => Buffer.from([byte]));

    assert.deepEqual(framesOf(single), messages('žluťoučký 🐎'));
  });

  test('returns the same lines for any chunks', () => {
    const line = fc.oneof(
      fc.json(),
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
    );
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));

        assert.deepEqual(framesOf(cut(bytes, cuts), 40), framesOf([bytes], 40));
      }),
    );
  });
});

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(from, from + length));
    from += length;
  }
  return [...pieces, bytes.subarray(from)];
}

function framesOf(chunks: readonly (string | Buffer)[], limit = 1_000): Frame[] {
  const frames: Frame[] = [];
  const framer = createFramer({ maxLineBytes: limit, idOf: 'request', onFrame: (frame) => frames.push(frame) });
  for (const chunk of chunks) framer.push(Buffer.from(chunk));
  framer.end();
  return frames;
}

function messages(...values: unknown[]): Frame[] {
  return values.map((message) => ({ kind: 'message', message }));
}
