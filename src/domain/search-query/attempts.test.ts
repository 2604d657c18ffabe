import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchAttempts } from './attempts.ts';
import { parseQuery } from './parse.ts';
import { printQuery } from './print.ts';

const attempts = (text: string) =>
  searchAttempts(parseQuery(text, { now: 0 })).map(({ kind, filter: { text: words, query } }) =>
    [kind, words?.text, query && printQuery(query)].filter((part) => part !== undefined).join(' | '),
  );

test('words are searched as words, then as a part of the text', () => {
  assert.deepEqual(attempts('deploy failed'), ['words | deploy failed', 'part | deploy failed']);
  assert.deepEqual(attempts('C++'), ['words | C++', 'part | C++']);
});

test('words beside filters are searched in the same way', () => {
  assert.deepEqual(attempts('from:bob deploy -in:dev failed'), [
    'words | deploy failed | from:bob -in:dev',
    'part | deploy failed | from:bob -in:dev',
  ]);
});

test('phrases, negated words and alternatives of words are one query', () => {
  for (const text of ['"a b"', 'a -b', 'a OR b', 'a -(b c)', 'from:bob', 'a (b OR from:bob)']) {
    assert.deepEqual(attempts(text), [`query | ${printQuery(parseQuery(text, { now: 0 }))}`]);
  }
});
