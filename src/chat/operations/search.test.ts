import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { chatParts } from '../../../tests/support/chat/parts.ts';
import { getMessages } from './get-messages.ts';
import { searchCommand, searchMessages, searchRoute } from './search.ts';

const SOURCES = [{ id: 'telegram' }, { id: 'irc', isConnected: false }, { id: 'signal', everSynced: false }] as const;

describe('searching', () => {
  let parts: Awaited<ReturnType<typeof chatParts>>;

  beforeEach(async () => {
    parts = await chatParts(SOURCES);
  });
  afterEach(() => parts.close());

  const get = async (query: object) => getMessages.run(getMessages.input.parse(query), parts);
  const texts = (messages: readonly { content: string }[]) => messages.map(({ content }) => content);
  const find = async (query: object) => searchMessages.run(searchMessages.input.parse(query), parts);

  test('is the same for tool, route and command', async () => {
    await parts.say({ chat: 'a', text: 'deploy has failed' });

    const tool = await find({ query: 'failed deploy' });
    const route = await searchRoute.run(searchRoute.input.parse({ q: 'failed deploy' }), parts);
    const command = await searchCommand.run(searchCommand.input.parse({ words: ['failed', 'deploy'] }), parts);

    assert.equal(tool.messages[0]?.snippet, '**deploy** has **failed**');
    assert.deepEqual(route, tool);
    assert.deepEqual(command, tool);
  });

  test('is shown in a table with attached files, and with asterisks of the text itself', async () => {
    await parts.say({ chat: 'a', text: 'budget of 2**10' });
    await parts.say({ chat: 'a', text: 'our budget' });
    await parts.say({ chat: 'a', contentType: 'file', attachments: [{ type: 'file', name: 'budget.xls' }] });

    const { messages } = searchCommand.output.parse(
      await searchCommand.run(searchCommand.input.parse({ words: ['budget'] }), parts),
    );

    const rows = messages.map((hit) => searchCommand.cli?.list?.row?.(hit, { all: messages, input: {} }).text);
    assert.deepEqual(rows, ['[file: budget.xls]', 'our budget', '**budget** of 2**10']);
  });

  test('reports whether words or a part matched, or that nothing matches', async () => {
    await parts.say({ chat: 'a', text: 'unforgettable' });

    const words = searchMessages.output.parse(await find({ query: 'unforgettable' }));
    const part = searchMessages.output.parse(await find({ query: 'forget' }));
    const nothing = searchMessages.output.parse(await find({ query: 'absent' }));

    assert.deepEqual([words.matched, part.matched, nothing.matched], ['words', 'part', undefined]);
    assert.match(searchMessages.render?.(part) ?? '', /\nNo message has all these as whole words/);
    assert.match(searchMessages.render?.(nothing) ?? '', /^No message fits\./);
  });

  test('accepts the same filters as other queries', async () => {
    await parts.say({ chat: 'a', text: 'cake' });
    await parts.say({ source: 'irc', chat: '#b', sender: 'Bob', text: 'cake' });

    const sourcesOf = async (query: object) =>
      (await find({ query: 'cake', ...query })).messages.map(({ source }) => source);

    assert.deepEqual(await sourcesOf({}), ['irc', 'telegram']);
    assert.deepEqual(await sourcesOf({ source: 'telegram' }), ['telegram']);
    assert.deepEqual(await sourcesOf({ chat: '#b' }), ['irc']);
    assert.deepEqual(await sourcesOf({ sender: 'alice' }), ['telegram']);
    assert.deepEqual(await sourcesOf({ since: 'now' }), []);
    await assert.rejects(sourcesOf({ since: '1d', before: '2d' }), { code: 'INVALID_PARAMETER' });
  });

  test('takes operators, beside words and alone', async () => {
    await parts.say({ chat: 'dev', sender: 'Bob', text: 'out of memory' });
    await parts.say({ chat: 'dev', sender: 'Alice', text: 'memory, out of order' });
    await parts.say({ source: 'irc', chat: '#ops', sender: 'Bob', text: 'unforgettable' });
    const found = async (query: string) => texts((await find({ query })).messages);

    assert.deepEqual(await found('"out of memory"'), ['out of memory']);
    assert.deepEqual(await found('memory -order'), ['out of memory']);
    assert.deepEqual(await found('from:bob in:dev'), ['out of memory']);
    assert.deepEqual(await found('order OR source:IRC'), ['unforgettable', 'memory, out of order']);
    assert.deepEqual(await found('after:1h -from:alice'), ['unforgettable', 'out of memory']);
    assert.deepEqual(await found('forget from:bob'), ['unforgettable']);
    assert.deepEqual(await found('"forget" from:bob'), []);
  });

  test('marks what was asked for, and nothing that was excluded', async () => {
    await parts.say({ chat: 'a', text: 'of all, out of memory' });

    const { messages, matched } = await find({ query: '"out of memory" -kernel from:alice' });

    assert.equal(messages[0]?.snippet, 'of all, **out of memory**');
    assert.equal(matched, 'exact');
  });

  test('shows the wrong part of a query, in the field of the caller', async () => {
    const wrong = { code: 'INVALID_PARAMETER', field: 'query', hint: /^At: a «is:purple»\./ };

    await assert.rejects(find({ query: 'a is:purple' }), wrong);
    await assert.rejects(searchRoute.run(searchRoute.input.parse({ q: '"x' }), parts), { field: 'q' });
    await assert.rejects(searchCommand.run(searchCommand.input.parse({ words: ['(', 'x'] }), parts), {
      field: 'words',
    });
  });

  test('takes a source by id, name or kind, and says which there are', async () => {
    await assert.rejects(find({ query: 'x source:telegramm' }), {
      code: 'SOURCE_NOT_FOUND',
      field: 'query',
      hint: 'There are: telegram, irc, signal.',
    });
    await parts.say({ source: 'irc', chat: '#b', text: 'cake' });
    assert.equal((await find({ query: 'source:webhook' })).messages.length, 1);
    assert.equal((await find({ query: 'source:irc', source: 'telegram' })).messages.length, 0);
  });

  test('sorts by relevance on request, page by page', async () => {
    await parts.say({ chat: 'a', text: 'deploy failed' });
    await parts.say({
      chat: 'a',
      text: 'the deploy of yesterday, and of the day before, has failed again for a reason',
    });
    await parts.say({ chat: 'a', text: 'failed to deploy' });
    const page = async (cursor?: string) =>
      find({ query: 'deploy failed', sort: 'relevance', limit: 2, ...(cursor ? { cursor } : {}) });

    const first = await page();
    const second = await page(first.next_cursor);

    assert.deepEqual(texts(first.messages), ['deploy failed', 'failed to deploy']);
    assert.match(texts(second.messages).join(), /^the deploy of yesterday/);
    assert.equal(second.next_cursor, undefined);
  });

  test('pages of a query continue where the last one ended', async () => {
    for (const text of ['a x', 'b x', 'c y']) await parts.say({ chat: 'a', text });

    const first = await find({ query: 'x OR y', limit: 2 });
    const second = await find({ query: 'x OR y', limit: 2, cursor: first.next_cursor });

    assert.match(first.next_cursor ?? '', /^query\.\d+$/);
    assert.deepEqual([texts(first.messages), texts(second.messages)], [['c y', 'b x'], ['a x']]);
  });

  test('requires a query', () => {
    for (const text of ['', ' ', '\n\t']) {
      assert.equal(searchMessages.input.safeParse({ query: text }).success, false);
      assert.equal(searchRoute.input.safeParse({ q: text }).success, false);
      assert.equal(searchCommand.input.safeParse({ words: [text] }).success, false);
      assert.equal(getMessages.input.safeParse({ search: text }).success, false);
    }
  });

  test('refuses an invalid cursor', () => {
    assert.equal(searchMessages.input.safeParse({ query: 'x', cursor: '17' }).success, false);
    assert.equal(searchMessages.input.safeParse({ query: 'x', cursor: 'part.17' }).success, true);
  });

  test('words with invisible characters in them are found, and a chat by its name as it is shown', async () => {
    await parts.say({ chat: 'Pay\u200bments', text: 'wi\u200bre it, می\u200cخواهم' });

    const found = await find({ query: 'wire' });
    const persian = await find({ query: 'می\u200cخواهم' });
    const inChat = await get({ source: 'telegram', chat: 'Pay\\u200bments' });

    assert.deepEqual([found.messages.length, persian.messages.length, inChat.messages.length], [1, 1, 1]);
    assert.equal(found.messages[0]?.content, 'wi\u200bre it, می\u200cخواهم');
  });
});
