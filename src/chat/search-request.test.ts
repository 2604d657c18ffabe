import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../domain/search-query/parse.ts';
import { printQuery } from '../domain/search-query/print.ts';
import { parseSearch, searchAttempts } from './search-request.ts';
import type { SourceView } from './sources.ts';

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

test('a source is named by its id or else by its name or kind, in any case', () => {
  const sources = [
    { id: 'tg', name: 'Private', kind: 'telegram' },
    { id: 'tg2', name: 'tg', kind: 'telegram' },
  ] as unknown as SourceView[];
  const parse = (text: string) => printQuery(parseSearch(text, { now: 0, field: 'q', sources }));

  assert.equal(parse('x source:tg'), 'x source:tg');
  assert.equal(parse('x source:PRIVATE'), 'x source:tg');
  assert.equal(parse('-source:Telegram'), '-(source:tg OR source:tg2)');
  assert.throws(() => parse('source:none'), { code: 'SOURCE_NOT_FOUND', field: 'q', hint: 'There are: tg, tg2.' });
});
