import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createMasker } from './masker.ts';

function maskerOf(...values: string[]) {
  const masker = createMasker();
  for (const value of values) masker.add(value);
  return masker;
}

const anySecret = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 60 });
const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
const basic = (text: string) => Buffer.from(text).toString('base64');

describe('masking', () => {
  test('a value is masked at any position, and the surrounding text is unchanged', () => {
    const masked = maskerOf('hunter22').mask('hunter22, "hunter22" and xhunter22x, not hunter2');

    assert.equal(masked, '[secret], "[secret]" and x[secret]x, not hunter2');
  });

  test('any value is masked in any text, as it is and in JSON, in JSON within JSON, in URLs, forms and base64', () => {
    fc.assert(
      fc.property(anySecret, anyText, anyText, (secret, before, after) => {
        const forms = [
          secret,
          JSON.stringify({ [before]: secret }),
          JSON.stringify(JSON.stringify([secret])),
          encodeURIComponent(secret),
          new URLSearchParams({ q: secret }).toString(),
          Buffer.from(secret).toString('base64url'),
        ];
        const { mask } = maskerOf(secret);

        for (const form of forms) assert.match(mask(`${before} ${form} ${after}`), /\[secret\]/);
        assert(!mask(before + secret + after).includes(secret) || '[secret]'.includes(secret));
      }),
    );
  });

  test('base64 of a text around the value reveals none of it, at any alignment', () => {
    for (const user of ['', 'a', 'ab', 'abc', 'alice']) {
      const header = `Basic ${basic(`${user}:correct horse`)}`;
      const masked = maskerOf('correct horse').mask(header);

      assert.match(masked, /^Basic [A-Za-z0-9+/]*\[secret\][A-Za-z0-9+/=]{0,3}$/);
      assert.doesNotMatch(Buffer.from(masked.slice(6), 'base64').toString(), /orrec|hors/);
    }
  });

  test('percent-encoding may be lower case, and JSON may be all ASCII', () => {
    const { mask } = maskerOf('sl/ash=é?');

    assert.equal(mask('x?k=sl%2fash%3d%c3%a9%3f&y'), 'x?k=[secret]&y');
    assert.equal(mask('{"k":"sl/ash=\\u00e9?"}'), '{"k":"[secret]"}');
  });

  test('each line of a private key is masked separately too', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nshort\n-----END KEY-----\n';
    const { mask } = maskerOf(key);

    assert.equal(mask(`read: ${key}`), 'read: [secret]');
    assert.equal(mask('2> MIIEvQIBADANBgkqhkiG9w0BAQEF\n2> short'), '2> [secret]\n2> short');
  });

  test('the longest value wins, and nothing remains of overlapping values', () => {
    const { mask } = maskerOf('abcdef', 'abcdefghij', 'ghijklmn');

    assert.equal(mask('abcdefghij'), '[secret]');
    assert.equal(mask('abcdefg'), '[secret]g');
    assert.equal(mask('<abcdefghijklmn>'), '<[secret]>');
  });

  test('values of fewer than six characters are not masked', () => {
    const masker = maskerOf('', 'true', '12345');

    assert.equal(masker.size, 0);
    assert.equal(masker.mask('true 12345'), 'true 12345');
  });

  test('a value added twice is stored once', () => {
    assert.equal(maskerOf('abcdef', 'abcdef').size, 1);
  });

  test('ten thousand values are all found', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => `value-${index}-of-many`);
    const { mask } = maskerOf(...values);

    assert.equal(mask(values.join(' ')), values.map(() => '[secret]').join(' '));
  });
});

describe('masking of objects', () => {
  test('masks every string and key, and does not change the given object', () => {
    const { maskDeep } = maskerOf('abcdef');
    const value = { a: ['abcdef', 1, null, { abcdef: true }], b: 'b', __proto__: null };

    const masked = maskDeep(value);

    assert.deepEqual({ ...masked }, { a: ['[secret]', 1, null, { '[secret]': true }], b: 'b' });
    assert.equal(value.a[0], 'abcdef');
  });

  test('returns the same reference when nothing was masked, also for unchanged parts', () => {
    const { maskDeep } = maskerOf('abcdef');
    const untouched = { list: [1, Number.NaN, undefined, 'text'], when: new Date(0), at: new URL('http://a.test/x') };

    assert.equal(maskDeep(untouched), untouched);
    assert.equal(maskDeep({ untouched, other: 'abcdef' }).untouched, untouched);
  });

  test('an object with toJSON is masked in that form', () => {
    const { maskDeep } = maskerOf('abcdef');

    const masked = maskDeep({ at: new URL('http://bob:abcdef@a.test/') });

    assert.deepEqual(masked, { at: 'http://bob:[secret]@a.test/' });
  });

  test('a circular object does not loop', () => {
    const circle: Record<string, unknown> = { text: 'abcdef' };
    circle.self = circle;

    assert.deepEqual(maskerOf('abcdef').maskDeep(circle), { text: '[secret]', self: '[circular]' });
  });

  test('any JSON is unchanged except for the values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { maskDeep } = maskerOf('a value that does not occur');

        assert.equal(maskDeep(value), value);
      }),
    );
  });
});
