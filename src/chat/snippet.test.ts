import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { snippet } from './snippet.ts';

test('what was found stands between asterisks, as it was written', () => {
  assert.equal(
    snippet('The CAFÉ is closed; another café opens.', ['cafe']),
    'The **CAFÉ** is closed; another **café** opens.',
  );
  assert.equal(snippet('deploy failed', ['failed', 'deploy']), '**deploy** **failed**');
  assert.equal(snippet('会議は木曜日', ['木曜']), '会議は**木曜**日');
  assert.equal(snippet('nothing here', ['absent']), 'nothing here');
});

test('of a long text the part around the first hit is shown', () => {
  const text = `${'a '.repeat(500)}needle${' b'.repeat(500)}`;

  const shown = snippet(text, ['needle']);

  assert.match(shown, /^….*\*\*needle\*\*.*…$/);
  assert(shown.length < 260);
});

test('a text of any length is looked through, and what lies anywhere in it is found', () => {
  for (const before of [2_040, 4_090, 6_140, 1_000_000]) {
    const shown = snippet(`${'é'.repeat(before)} Needle in a haystack`, ['needle', 'haystack']);

    assert.match(shown, /^…é+ \*\*Needle\*\* in a \*\*haystack\*\*$/);
  }
  assert.equal(snippet('a'.repeat(1_000_000), ['b']), `${'a'.repeat(240)}…`);
});

test('of any text and words something of the text is shown', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 400 });
  fc.assert(
    fc.property(anyText, fc.array(fc.string({ unit: 'binary', maxLength: 5 }), { maxLength: 4 }), (text, words) => {
      const plain = snippet(text.replaceAll('*', ''), words).replaceAll('*', '').replace(/^…|…$/g, '');

      assert(text.replaceAll('*', '').includes(plain) || /…/.test(text));
    }),
  );
});
