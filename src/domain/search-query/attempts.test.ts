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
});

test('words beside filters are searched in the same way', () => {
  assert.deepEqual(attempts('from:bob deploy -in:dev failed'), [
    'words | deploy failed | from:bob -in:dev',
    'part | deploy failed | from:bob -in:dev',
  ]);
});

test('phrases, negated words and alternatives of words are one query', () => {
  for (const text of ['"a"', 'a -b', 'a -c#', 'a OR b', 'a -(b c)', 'from:bob', 'a (b OR from:bob)']) {
    assert.deepEqual(attempts(text), [`query | ${printQuery(parseQuery(text, { now: 0 }))}`]);
  }
});

test('text with signs is searched as it was typed, before all else', () => {
  assert.deepEqual(attempts('C++'), ['exact | C++', 'words | C++', 'part | C++']);
  assert.deepEqual(attempts('"a b" c'), ['exact | "a b" c', 'query | "a b" c']);
  assert.deepEqual(attempts('from:bob@example.org deploy').slice(0, 1), ['words | deploy | from:bob@example.org']);
});
