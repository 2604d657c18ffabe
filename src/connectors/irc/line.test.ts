import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isTarget, splitText, wireLine } from './line.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 2_000 });

describe('an encoded line', () => {
  test('has escaped tags, and its last parameter may contain spaces', () => {
    const line = wireLine({
      tags: { label: 'a b;c\\d', '+draft/reply': 'm1' },
      command: 'PRIVMSG',
      params: ['#x', ':-) hello'],
    });

    assert.equal(line, '@label=a\\sb\\:c\\\\d;+draft/reply=m1 PRIVMSG #x ::-) hello');
  });

  test('throws for line breaks, which would inject a command', () => {
    for (const params of [
      ['#x', 'a\r\nQUIT'],
      ['#x', 'a\nQUIT'],
      ['#x', 'a\0b'],
      ['#x\r\nQUIT', 'a'],
    ]) {
      assert.throws(() => wireLine({ command: 'PRIVMSG', params }));
    }
    assert.throws(() => wireLine({ command: 'PRIVMSG', params: ['#x y', 'a'] }));
    assert.throws(() => wireLine({ command: 'PRIVMSG', params: [':x', 'a'] }));
  });

  test('is a single line for any text and target', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (target, text, tag) => {
        fc.pre(isTarget(target));
        for (const piece of splitText(text, 400)) {
          const line = wireLine({ tags: { '+x': tag }, command: 'PRIVMSG', params: [target, piece] });
          assert.doesNotMatch(line, /[\r\n\0]/);
        }
      }),
    );
  });
});

describe('splitting a long text', () => {
  test('splits at spaces, or within a word that is too long', () => {
    assert.deepEqual(splitText('one two three', 8), ['one two ', 'three']);
    assert.deepEqual(splitText('abcdefghij', 4), ['abcd', 'efgh', 'ij']);
  });

  test('splits at line breaks and omits empty lines', () => {
    assert.deepEqual(splitText('one\r\n\n\ntwo\rthree\n', 100), ['one', 'two', 'three']);
    assert.deepEqual(splitText(' \n\0\n', 100), []);
  });

  test('never splits within a character', () => {
    assert.deepEqual(splitText('😀😀😀', 9), ['😀😀', '😀']);
    assert.deepEqual(splitText('😀😀', 1), ['😀', '😀']);
  });

  test('loses only line breaks, and each part fits', () => {
    const wellFormed = fc.string({ unit: 'grapheme', maxLength: 3_000 });
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 4, max: 500 }), (text, most) => {
        const pieces = splitText(text, most);
        for (const piece of pieces) assert.ok(Buffer.byteLength(piece) <= most);
        assert.equal(pieces.join('').replace(/\s/g, ''), text.replace(/[\s\0]/g, ''));
      }),
    );
  });
});

test('a nickname or a channel is a valid target; a list, a server mask and anything with a space is not', () => {
  for (const target of ['#x', '&local', 'bob', 'b[o]b', '#what?', '@#ops']) assert.ok(isTarget(target), target);
  for (const target of ['', 'a,b', '#a,#b', '$*.net', ':x', 'a b', 'a\nb', 'a\0']) assert.ok(!isTarget(target), target);
});
