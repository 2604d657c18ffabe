import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseJson } from './json-text.ts';

describe('JSON as Telegram Desktop writes it', () => {
  test('hexadecimal escapes of control characters are parsed', () => {
    assert.equal(parseJson(Buffer.from(String.raw`"a\x0Bb\x1fc"`)), 'a\u000bb\u001fc');
  });

  test('an escaped backslash does not begin such an escape', () => {
    assert.equal(parseJson(Buffer.from(String.raw`"a\\x0Bb"`)), String.raw`a\x0Bb`);
    assert.equal(parseJson(Buffer.from(String.raw`"a\\\x0Bb"`)), 'a\\\u000bb');
  });

  test('invalid JSON is undefined', () => {
    assert.equal(parseJson(Buffer.from('{"a": ')), undefined);
    assert.equal(parseJson(Buffer.from(String.raw`"\xZZ"`)), undefined);
  });

  test('any string is parsed unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const written = JSON.stringify(text).replaceAll(/\\u00([01][\da-f])/g, String.raw`\x$1`);

        assert.equal(parseJson(Buffer.from(written)), text);
      }),
    );
  });
});
