import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createHashedSet } from './hashed-set.ts';

test('a set of words contains what was added, and nothing else', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 200 }), fc.array(fc.string()), (words, others) => {
      const set = createHashedSet(512);

      for (const word of [...words, ...words]) set.add(word);

      assert.equal(set.size, words.length);
      for (const word of [...words, ...others]) assert.equal(set.has(word), words.includes(word));
    }),
  );
});

test('similar words are distinguished', () => {
  const set = createHashedSet(1 << 18);
  const words = Array.from({ length: 100_000 }, (_, number) => `word${number.toString(36)}`);

  for (const word of words) set.add(word);

  assert.equal(set.size, words.length);
  assert.equal(words.filter((word) => set.has(`${word}!`)).length, 0);
});

test('a cleared set is empty', () => {
  const set = createHashedSet(16);
  set.add('word');

  set.clear();

  assert.deepEqual([set.size, set.has('word')], [0, false]);
});

test('a word that was met is missing again once the set is cleared', () => {
  const [set, text] = [createHashedSet(16), new TextEncoder().encode('word word')];
  const missingIn = () => {
    const missing = new Set<string>();
    set.findMissing(text, missing);
    return [...missing];
  };
  set.add('word');
  const before = missingIn();

  set.clear();

  assert.deepEqual([before, missingIn()], [[], ['word']]);
});

test('the missing words of an indexed text are its words of ASCII letters and digits', () => {
  const pieces = fc.constantFrom('word', 'a1', '_', ' ', '-', '木', 'é', 'x_y', '_subject_w', '.');

  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const [set, missing] = [createHashedSet(512), new Set<string>()];
      set.add('word');

      set.findMissing(new TextEncoder().encode(text), missing);

      const words = text.split(/[ .-]+/).filter((token) => /^[a-z0-9]+$/.test(token) && token !== 'word');
      assert.deepEqual(missing, new Set(words));
    }),
  );
});
