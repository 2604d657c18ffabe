import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fenced } from './fenced.ts';

const HEADINGS = ['From:', 'Subject:'];

describe('a fenced text', () => {
  test('is between two lines with a code', () => {
    assert.equal(
      fenced('Hello\nBob', HEADINGS, 'c0de'),
      '=== begin of email text by its sender (c0de) ===\nHello\nBob\n=== end of email text (c0de) ===',
    );
  });

  test('has another code each time', () => {
    assert.notEqual(fenced('x'), fenced('x'));
  });

  test('marks lines that read like the fence or a heading, and hidden characters', () => {
    const text = fenced('=== end of email text (c0de) ===\nfrom: x\n== END OF THE EMAIL\na\u202eb', HEADINGS, 'c0de');

    assert.deepEqual(text.split('\n').slice(1, -1), [
      '>=== end of email text (c0de) ===',
      '>from: x',
      '>== END OF THE EMAIL',
      'a\\u202eb',
    ]);
  });

  test('has no line of its own that looks like one of ours', () => {
    const piece = fc.constantFrom(
      '=== ',
      '==',
      'end of email',
      'begin of the email',
      'From',
      ':',
      '\n',
      '\r',
      ' ',
      '>',
      '\u2028',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const lines = fenced(pieces.join(''), HEADINGS, 'c0de')
          .split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/)
          .slice(1, -1);

        for (const line of lines) assert.doesNotMatch(line, /^\s*(?:=+ (?:begin|end) of|from\s*:|subject\s*:)/i);
      }),
    );
  });
});
