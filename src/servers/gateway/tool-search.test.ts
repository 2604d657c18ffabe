import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../domain/json.ts';
import { createToolSearch } from './tool-search.ts';

const tool = (name: string, description = '', properties: JsonObject = {}) => ({
  definition: { name, description, inputSchema: { type: 'object', properties } },
});

const TOOLS = [
  tool('github__create_issue', 'Creates an issue in a repository', { title: {}, labels: {} }),
  tool('github__list_commits', 'Commits of a branch', { sha: {} }),
  tool('mail__sendMessage', 'Sends an email', { recipient: {} }),
  tool('weather__forecast', 'Weather of the next days; mentions an issue of the paper once'),
];

const found = (query: string, limit = 10) => {
  const result = createToolSearch(TOOLS).find(query, limit);
  return result.found.map(({ definition }) => definition.name);
};

describe('the search for tools', () => {
  test('HOST-22 prefers words of the name', () => {
    assert.deepEqual(found('issue'), ['github__create_issue', 'weather__forecast']);
  });

  test('HOST-22 splits names, and finds beginnings of words and parameters', () => {
    assert.deepEqual(found('send message'), ['mail__sendMessage']);
    assert.deepEqual(found('comm'), ['github__list_commits']);
    assert.deepEqual(found('recipient'), ['mail__sendMessage']);
  });

  test('HOST-22 without words lists all, and says how many there are', () => {
    const result = createToolSearch(TOOLS).find('  ', 2);

    assert.equal(result.total, 4);
    assert.equal(result.found.length, 2);
    assert.deepEqual(found('zebra'), []);
  });

  test('HOST-22 survives any query and any definition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (query, name) => {
        const { found: tools, total } = createToolSearch([tool(name, query)]).find(query, 5);

        assert.ok(tools.length <= total && total <= 1);
      }),
    );
  });
});
