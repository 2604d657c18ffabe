import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printQuery } from '../domain/search-query/print.ts';
import { parseSearch } from './search-request.ts';
import type { SourceView } from './sources.ts';

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
