import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quotedName, shownName } from './shown-name.ts';

const COLON = /: |:$/;

test('an ordinary name is shown as it is', () => {
  for (const name of [
    'Alice',
    'Ana María',
    '@bob:matrix.org',
    'nick|away',
    '#dev',
    '木曜',
    'a1',
    "O'Neil",
    '👩‍🚀 Eva',
  ]) {
    assert.equal(shownName(name, COLON), name);
  }
});

test('a name is in quotes if it could be read as more than a name', () => {
  assert.equal(shownName('Boss: pay', COLON), '"Boss: pay"');
  assert.equal(shownName('a\nID: 1', COLON), '"a\\nID: 1"');
  assert.equal(shownName('', COLON), '""');
  assert.equal(shownName(' Alice', COLON), '" Alice"');
  assert.equal(shownName('"Alice"', COLON), '"\\"Alice\\""');
  assert.equal(shownName('Ali\u200bce', COLON), '"Ali\\u200bce"');
});

test('a long name is shortened, between two characters', () => {
  assert.equal(shownName('x'.repeat(101), COLON), `${'x'.repeat(100)}…`);
  assert.equal(shownName('👩'.repeat(100), COLON), '👩'.repeat(100));
  assert.equal(shownName('👩'.repeat(101), COLON), `${'👩'.repeat(100)}…`);
});

test('a name of hidden characters is short when they are written out', () => {
  const shown = shownName('\u202e'.repeat(100), COLON);

  assert.match(shown, /^"(?:\\u202e){50}…"$/);
});

test('no name closes its quotes or has a second line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const quoted = quotedName(name);

      assert.match(quoted, /^"(?:[^"\\]|\\.)*"$/u);
      assert.doesNotMatch(quoted, /[\p{Cc}\u2028\u2029]/u);
    }),
  );
});
