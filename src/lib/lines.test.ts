import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLineCutter } from './lines.ts';

/** Bytes, cut anywhere. */
const stream = fc.array(
  fc.array(fc.constantFrom('a', 'é', '\n', '\0', '\r'), { maxLength: 12 }).map((parts) => parts.join('')),
);

describe('splitting a stream into lines', () => {
  test('for any chunks, lines are complete and nothing is lost', () => {
    fc.assert(
      fc.property(stream, (texts) => {
        const bytes = Buffer.from(texts.join(''));
        const lines: Buffer[] = [];
        const cutter = createLineCutter((line) => lines.push(line));

        for (const text of texts) cutter.push(Buffer.from(text));

        assert.ok(lines.every((line) => line.indexOf(0x0a) === line.length - 1));
        assert.deepEqual(Buffer.concat([...lines, cutter.rest()]), bytes);
      }),
    );
  });

  test('a line beyond the limit is returned in pieces, and the next one is complete again', () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 0, max: 6 }), (texts, holdUpTo) => {
        const out: Buffer[] = [];
        const cutter = createLineCutter((line) => out.push(line), { holdUpTo, onPiece: (piece) => out.push(piece) });

        for (const text of texts) cutter.push(Buffer.from(text));

        assert.deepEqual(Buffer.concat([...out, cutter.rest()]), Buffer.from(texts.join('')));
      }),
    );
  });

  test('bytes that are not held are passed on immediately', () => {
    const pieces: string[] = [];
    const lines: string[] = [];
    const cutter = createLineCutter((line) => lines.push(line.toString()), {
      holdUpTo: 3,
      onPiece: (piece) => pieces.push(piece.toString()),
    });

    for (const text of ['ab', 'cd', 'ef', 'g\nh', 'i\n']) cutter.push(Buffer.from(text));

    assert.deepEqual(pieces, ['ab', 'cd', 'ef', 'g\n']);
    assert.deepEqual(lines, ['hi\n']);
    assert.equal(cutter.rest().length, 0);
  });
});
