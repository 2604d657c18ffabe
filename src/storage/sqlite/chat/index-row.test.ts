import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenizeMessage } from './index-row.ts';

test('a file name is indexed separately from the text', () => {
  const { tokens, terms } = tokenizeMessage('one two', [{ type: 'file', name: 'three.txt' }, { type: 'file' }]);

  assert.deepEqual(tokens, ['one', 'two', '_', 'three', 'txt']);
  assert.deepEqual(terms, ['one', 'two', 'three', 'txt']);
});

test('texts and names of any length are split into words', () => {
  const { tokens } = tokenizeMessage('x'.repeat(30_000_000), [{ type: 'file', name: 'a '.repeat(200_000) }]);

  assert.ok(tokens.length > 350_000);
});
