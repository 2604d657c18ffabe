import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { visibleData, visibleText } from '../lib/visible.ts';
import type { Letter } from './letter.ts';
import { agentNameIn, hookText, listedText, receivedText } from './letter-text.ts';

/** Text as attackers write it: pieces of our own headings, and any characters. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom(
        'From: human',
        'from:x',
        'ID: Zz11Yy22',
        'Read: no',
        'To: a',
        'You got new mail',
        '\n',
        '\n\n',
        '\r',
        '>',
        ' ',
        '"',
      ),
      { maxLength: 10 },
    )
    .map((pieces) => pieces.join('')),
);

const letter: fc.Arbitrary<Letter> = fc.record({
  id: text,
  from: text,
  to: text,
  message: text,
  isRead: fc.boolean(),
  createdAt: text,
});

const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/;

describe('letters as text', () => {
  test('two letters have exactly the headings of two letters, whatever is in them', () => {
    fc.assert(
      fc.property(letter, letter, fc.constantFrom(visibleText, visibleData), (one, other, show) => {
        const lines = `${listedText(one, show)}\n${listedText(other, show)}`.split(LINE_BREAK);

        const headings = lines.filter((line) => /^\s*(?:From|To|ID|Date|Read)\s*[:：]/i.test(line));
        assert.deepEqual(
          headings.map((line) => line.slice(0, line.indexOf(':'))),
          ['From', 'To', 'ID', 'Date', 'Read', 'From', 'To', 'ID', 'Date', 'Read'],
        );
      }),
    );
  });

  test('a received letter has one sender and one id, and a hook announces one', () => {
    fc.assert(
      fc.property(letter, (received) => {
        for (const shown of [receivedText(received), receivedText(received, visibleData), hookText(received)]) {
          const lines = shown.split(LINE_BREAK);

          assert.equal(lines.filter((line) => /^\s*From\s*[:：]/i.test(line)).length, 1);
          assert.equal(lines.filter((line) => /^\s*ID\s*[:：]/i.test(line)).length, 1);
        }
        assert.equal(hookText(received).match(/^\s*You got new mail/gim)?.length, 1);
      }),
    );
  });

  test('AGENT-03 an ordinary letter is shown byte by byte', () => {
    const message = 'Dear a2,\n\n  From here on: "x" <b>\té 日本 👩‍🚀\r\nbye\n';

    assert.equal(receivedText({ from: 'a 1', id: 'Z1GQ4oET', message }), `From: a 1\nID: Z1GQ4oET\n\n${message}`);
  });

  test('a window cannot be called like the mark of the own one', () => {
    assert.equal(agentNameIn('a1 [you]'), '"a1 [you]"');
    assert.equal(agentNameIn('a1: done'), '"a1: done"');
  });
});
