import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { silentLog } from '../../../../tests/support/operation-context.ts';
import { openStore, type Store } from '../../../../tests/support/store/open-store.ts';
import type { MessageFilter } from '../../../chat/ports.ts';
import { parseQuery } from '../../../domain/search-query/parse.ts';
import { systemClock } from '../../../lib/clock.ts';

describe('by relevance', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
  });
  afterEach(() => store.close());

  async function say(...texts: string[]): Promise<void> {
    const events = texts.map((text, index) => {
      const message = { chat: { id: 'c' }, id: `m${index}`, sender: { id: 'a', name: 'A' }, text, at: 1_000 + index };
      return { kind: 'message', message } as const;
    });
    await store.messages.record({ source: 'x', events, origin: 'import' });
  }

  async function ranked(filter: MessageFilter | string, page = {}): Promise<string[]> {
    const wanted = typeof filter === 'string' ? { query: parseQuery(filter, { now: 0 }) } : filter;
    const { messages } = await store.messages.find(wanted, { limit: 20, sort: 'relevance', ...page });
    return messages.map(({ text }) => text);
  }

  test('the text as it was typed is first, then the words side by side, then the others', async () => {
    await say('my C# code', 'my C code', 'my code in C', 'other');

    const found = await ranked({ text: { kind: 'words', text: 'C# code' } });

    assert.deepEqual(found, ['my C# code', 'my C code', 'my code in C']);
  });

  test('a word that is said more often counts more, and less in a long message', async () => {
    const long = `deploy ${'and so on '.repeat(40)}`.trim();
    await say('deploy deploy deploy', 'deploy this', long);

    assert.deepEqual(await ranked('deploy'), ['deploy deploy deploy', 'deploy this', long]);
  });

  test('of alternatives, a message with more of them is first; the newer of equals', async () => {
    await say('alpha beta', 'alpha', 'beta', 'gamma');

    assert.deepEqual(await ranked('alpha OR beta'), ['alpha beta', 'beta', 'alpha']);
    assert.deepEqual(await ranked('-alpha'), ['gamma', 'beta']);
  });

  test('pages follow each other, and the last one says so', async () => {
    await say('a a a', 'a a x', 'a x y', 'x');
    const query = parseQuery('a', { now: 0 });

    const first = await store.messages.find({ query }, { limit: 2, sort: 'relevance' });
    const second = await store.messages.find({ query }, { limit: 2, offset: 2, sort: 'relevance' });

    assert.deepEqual(
      [first, second].map(({ messages }) => messages.map(({ text }) => text)),
      [['a a a', 'a a x'], ['a x y']],
    );
    assert.deepEqual([first.hasMore, second.hasMore], [true, false]);
  });

  test('of many matches, the shortest and those with the words side by side are read first', async () => {
    const around = (words: string) => `${'so '.repeat(60)}${words}${' on'.repeat(60)}`;
    const others = Array.from({ length: 150 }, (_, index) => around(`fail of ${'the '.repeat(index)} deploy`));
    await say('fail, deploy', ...others, around('deploy fail'), 'deploy and fail', around('Deploy  Fail'));

    const found = await ranked('deploy fail', { limit: 200 });

    assert.deepEqual(found.slice(0, 2), [around('deploy fail'), around('Deploy  Fail')]);
    assert.deepEqual(new Set(found.slice(2, 4)), new Set(['fail, deploy', 'deploy and fail']));
    assert.deepEqual(found.slice(4), others);
  });
});
