import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { chatParts, NOW } from '../../../tests/support/chat/parts.ts';
import { getMessages } from './get-messages.ts';
import { searchMessages } from './search.ts';

describe('what was typed', () => {
  let parts: Awaited<ReturnType<typeof chatParts>>;

  beforeEach(async () => {
    parts = await chatParts([{ id: 'irc' }]);
  });
  afterEach(() => parts.close());

  const find = async (query: object) =>
    searchMessages.output.parse(await searchMessages.run(searchMessages.input.parse(query), parts));
  const texts = (messages: readonly { content: string }[]) => messages.map(({ content }) => content);
  const say = async (...messages: string[]) => {
    for (const text of messages) await parts.say({ source: 'irc', chat: '#a', text });
  };

  const table: [query: string, exact: string, looser: readonly string[]][] = [
    ['C#', 'rewrite it in C#', ['c, not go', 'plan c']],
    ['_start', 'undefined reference to _start', ['start the server', 'start']],
    ['foo_bar', 'call foo_bar()', ['foo bar', 'foo-bar']],
    ['@nick', 'ask @nick about it', ['nick left', '@nick2 and nick']],
    ['%>%', 'x %>% y', ['x > y', 'x %% y > z']],
    ['"out of memory"', 'killed: out\nof memory', ['out-of-memory', 'ran out; of memory']],
    ['[you]', 'are [you] there', ['are you there', '(you)']],
    ['--help', 'try --help', ['help me', '-help']],
    ['node.js', 'node.js 24', ['the node: js', 'node js']],
    ['.bashrc', 'edit ~/.bashrc', ['bashrc']],
    ['«oui»', 'elle dit «oui»', ['oui']],
  ];
  for (const [query, exact, looser] of table) {
    test(`is before what is like it: ${query}`, async () => {
      await say(exact, ...looser, 'something else');

      const found = await find({ query });

      assert.equal(texts(found.messages)[0], exact);
      assert.equal(found.matched, 'exact');
      for (const text of texts(found.messages).slice(1)) assert.ok(looser.includes(text), text);
    });
  }

  test('is found regardless of case and accents, also where one letter becomes two', async () => {
    await say('Hauptstraße 7');

    for (const query of ['HAUPTSTRASSE', 'hauptstraße', 'Hauptstrasse 7']) {
      assert.deepEqual(texts((await find({ query })).messages), ['Hauptstraße 7'], query);
    }
    assert.equal((await find({ query: 'STRASSE' })).messages[0]?.snippet, 'Haupt**straße** 7');
  });

  test('is all that is excluded', async () => {
    await say('segfault in c', 'segfault in C#', 'kernel segfault');

    assert.deepEqual(texts((await find({ query: 'segfault -C#' })).messages), ['kernel segfault', 'segfault in c']);
    assert.deepEqual(texts((await find({ query: 'segfault -kernel' })).messages), ['segfault in C#', 'segfault in c']);
  });

  test('attack: of very many terms with signs, only some are looked for in texts', async () => {
    await say('c', 'd#');

    const found = await find({ query: Array.from({ length: 150 }, (_, index) => `-w${index}#`).join(' ') });

    assert.deepEqual(texts(found.messages), ['d#', 'c']);
  });

  test('is all that is found if it has no words', async () => {
    await say('wait — what', 'nothing of it', 'what?!');

    for (const sort of ['newest', 'relevance']) {
      assert.deepEqual(texts((await find({ query: '—', sort })).messages), ['wait — what'], sort);
      assert.deepEqual(texts((await find({ query: '?! from:alice', sort })).messages), ['what?!'], sort);
    }
  });

  test('is found in any old message, also if it is the commonest sign', async () => {
    await parts.say({ source: 'irc', chat: '#a', text: 'an old end.', at: NOW - 2_000_000 });
    for (let part = 0; part < 3; part += 1) {
      const events = Array.from({ length: 500 }, (_, index) => ({
        kind: 'message' as const,
        message: {
          chat: { id: '#a' },
          id: `${part}-${index}`,
          sender: { id: 'b', name: 'b' },
          text: 'no end',
          at: NOW - 1_000_000 + part * 1_000 + index,
        },
      }));
      await parts.store.messages.record({ source: 'irc', events, origin: 'import' });
    }
    await say('a new end.');

    for (const sort of ['newest', 'relevance']) {
      assert.deepEqual(texts((await find({ query: '.', sort })).messages).sort(), ['a new end.', 'an old end.']);
    }
  });

  test('finds nothing where nothing contains it, also with other conditions or without any visible sign', async () => {
    await say('hello', 'kernel');

    for (const query of ['?! -kernel', '(?! OR !!)', '"?!" -kernel', '\u200b', '(\u200b OR \u200d)', '\u{1f3fd}']) {
      assert.deepEqual(texts((await find({ query })).messages), [], query);
    }
  });

  test('is looked for in each term of a query', async () => {
    await say('C# or go', 'c++ or go', 'c or go');

    const found = await find({ query: '(C# OR C++) go' });

    assert.deepEqual(texts(found.messages), ['c++ or go', 'C# or go', 'c or go']);
    assert.deepEqual([found.matched, found.exact_count], ['exact', 2]);
    assert.match(searchMessages.render?.(found) ?? '', /\nOnly the first 2 contain exactly this/);
  });

  test('and what is like it are on several pages, each message once', async () => {
    const all = ['c 1', 'C# 1', 'c 2', 'C# 2', 'c 3', 'C# 3', 'c 4', 'C# 4'];
    await say(...all);

    for (const limit of [1, 2, 3, 4, 5, 8, 20]) {
      for (const sort of ['newest', 'relevance']) {
        const found: string[] = [];
        let pages = 0;
        for (let cursor: string | undefined; ; pages += 1) {
          const page = await find({ query: 'C#', limit, sort, ...(cursor ? { cursor } : {}) });
          found.push(...texts(page.messages));
          cursor = page.next_cursor;
          if (cursor === undefined) break;
        }
        assert.deepEqual(found, ['C# 4', 'C# 3', 'C# 2', 'C# 1', 'c 4', 'c 3', 'c 2', 'c 1'], `${limit} ${sort}`);
        assert.equal(pages + 1, Math.ceil(all.length / limit));
      }
    }
  });

  test('is found as a part of a text with its signs alone', async () => {
    await say('a[you]b', 'you', 'what?!', 'what? !');
    const get = async (search: string) =>
      texts((await getMessages.run(getMessages.input.parse({ search }), parts)).messages);

    assert.deepEqual(await get('[you]'), ['a[you]b']);
    assert.deepEqual(await get('?!'), ['what?!']);
    assert.deepEqual(await get('?? '), []);
  });
});
