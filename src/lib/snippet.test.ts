import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { snippet } from './snippet.ts';

const words = (text: string) => ({ kind: 'words', text }) as const;
const part = (text: string) => ({ kind: 'part', text }) as const;

test('a match is marked with asterisks, in its original spelling', () => {
  assert.equal(
    snippet('The CAFÉ is closed; another café opens.', words('cafe')),
    'The **CAFÉ** is closed; another **café** opens.',
  );
  assert.equal(snippet('deploy failed', words('failed deploy')), '**deploy** **failed**');
  assert.equal(snippet('会議は木曜日', words('木曜')), '会議は**木曜**日');
  assert.equal(snippet('nothing here', words('absent')), 'nothing here');
});

test('a whole word is preferred to a match within other words', () => {
  const text = `London ${'calling '.repeat(100)}turn it on again`;

  assert.match(snippet(text, words('on')), /^….*turn it \*\*on\*\* again$/);
  assert.match(snippet(text, part('on')), /^L\*\*on\*\*d\*\*on\*\* calling/);
  assert.equal(snippet('London', words('on')), 'L**on**d**on**');
});

test('a part of a word is no whole word, wherever a long text is divided', () => {
  const text = `${'é '.repeat(1_022)}London ${'é '.repeat(1_500)}on again`;

  assert.match(snippet(text, words('on')), /^…[é ]+\*\*on\*\* again$/);
  assert.equal(snippet('aa.', words('a. .')), 'aa**.**');
});

test('a phrase is marked as a whole, across punctuation', () => {
  const terms = (...texts: string[]) => ({ kind: 'terms', texts }) as const;
  const text = `of ${'x '.repeat(100)}out-of memory, of course`;

  assert.match(snippet(text, terms('out of memory')), /^….*x \*\*out-of memory\*\*, of course$/);
  assert.equal(snippet('a cat, a dog', terms('dog', 'a cat')), '**a cat**, a **dog**');
  assert.equal(snippet('concatenate', terms('cat')), 'con**cat**enate');
  assert.equal(snippet('plain', terms()), 'plain');
});

test('punctuation is matched too, also within words', () => {
  const long = 'x '.repeat(300);

  assert.match(snippet(`${long}🎂 for all`, words('🎂')), /^….*\*\*🎂\*\* for all$/);
  assert.equal(snippet('Why C++ and node.js?', words('c++ node.js')), 'Why **C++** and **node.js**?');
  assert.equal(snippet('a/b or a (b)', words('a"b')), '**a**/**b** or **a** (**b**)');
  assert.equal(snippet('1 + 1 [x] ^$', part('+ 1 [x] ^$')), '1 **+ 1 [x] ^$**');
});

test('a long text is shortened to the part around the first match', () => {
  const text = `${'a '.repeat(500)}needle${' b'.repeat(500)}`;

  const shown = snippet(text, words('needle'));

  assert.match(shown, /^….*\*\*needle\*\*.*…$/);
  assert(shown.length < 260);
});

test('a match is found at any position in a text of any length', () => {
  for (const before of [2_040, 4_090, 6_140, 1_000_000]) {
    const shown = snippet(`${'é'.repeat(before)} Needle in a haystack`, words('needle haystack'));

    assert.match(shown, /^…é+ \*\*Needle\*\* in a \*\*haystack\*\*$/);
  }
  assert.equal(snippet('a'.repeat(1_000_000), words('b')), `${'a'.repeat(240)}…`);
});

test('a match with thousands of invisible characters or accents around it is found', () => {
  for (const hidden of ['\u200b', '\u0301', '\u{1f3fd}']) {
    for (const count of [3_000, 50_000]) {
      const text = `${hidden.repeat(count)}a needle${hidden.repeat(count)} here`;

      assert.match(snippet(text, part('needle')), /\*\*needle/);
      assert.match(snippet(text, words('needle')), /\*\*needle/);
    }
  }
});

test('every snippet is part of the text, for any text and query', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 400 });
  const anyQuery = fc.record({
    kind: fc.constantFrom('words' as const, 'part' as const),
    text: fc.string({ unit: fc.constantFrom(...'aA1 ^$.*+?()[]{}|/\\-é木🎂\ud83c'), maxLength: 12 }),
  });
  fc.assert(
    fc.property(anyText, anyQuery, (text, query) => {
      const plain = snippet(text.replaceAll('*', ''), query).replaceAll('*', '').replace(/^…|…$/g, '');

      assert(text.replaceAll('*', '').includes(plain) || /…/.test(text));
    }),
  );
});
