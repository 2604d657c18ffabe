import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NotJson, parseJsonc } from './jsonc.ts';

describe('JSON with comments', () => {
  test('all of JSON is parsed', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (json, indent) => {
        const value = JSON.parse(json);

        assert.deepEqual(parseJsonc(JSON.stringify(value, null, indent)).value, value);
      }),
    );
  });

  test('comments and trailing commas are ignored', () => {
    const text = '\uFEFF// first\n{ "a": [1, 2,], /* between */ "b": { "c": "// no comment", }, } // last';

    assert.deepEqual(parseJsonc(text).value, { a: [1, 2], b: { c: '// no comment' } });
  });

  test('every other text is refused with the line of the problem', () => {
    const refused = ['', '{', '{,}', '[,]', '{"a" 1}', '{"a":1 "b":2}', '[1 2]', "{'a':1}", '{"a":1}}', '/* open'];

    for (const text of [...refused, '{"a":nul}', '"a\nb"', '['.repeat(10_000), '{"a":'.repeat(100_000)]) {
      assert.throws(() => parseJsonc(text), NotJson, text);
    }
    assert.throws(() => parseJsonc('{\n"a": 1,\n"b" 2\n}'), { line: 3 });
  });

  test('a trailing comma is found, also before comments', () => {
    const comments = '/* a */ // b\n /**/'.repeat(10_000);

    assert.equal(parseJsonc(`{"a": 1 ${comments}, /* , */}`).endsInComma, true);
    assert.equal(parseJsonc(`{"a": 1 ${comments} /* , */}`).endsInComma, false);
    assert.equal(parseJsonc('{ /* , */ }').endsInComma, false);
  });

  test('no text causes another kind of failure', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\ \n1a-') }), (text) => {
        try {
          parseJsonc(text);
        } catch (error) {
          assert(error instanceof NotJson);
        }
      }),
    );
  });
});
