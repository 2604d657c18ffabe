import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { chatParts } from '../../../tests/support/chat/parts.ts';
import { visibleDeep } from '../../lib/visible.ts';
import { messageResource } from '../message-resource.ts';
import { getMessages } from './get-messages.ts';
import { getThread } from './get-thread.ts';
import { listChats } from './list-chats.ts';
import { searchMessages, searchRoute } from './search.ts';

const LONG = `needle ${'some words and code(); '.repeat(1_300)}`;

describe('the size of an answer', () => {
  let parts: Awaited<ReturnType<typeof chatParts>>;

  beforeEach(async () => {
    parts = await chatParts([{ id: 'telegram' }, { id: 'irc' }]);
  });
  afterEach(() => parts.close());

  const get = async (query: object) =>
    getMessages.output.parse(await getMessages.run(getMessages.input.parse(query), parts));
  const find = async (query: object) =>
    searchMessages.output.parse(await searchMessages.run(searchMessages.input.parse(query), parts));

  test('a long text is shortened, and says how long it is', async () => {
    await parts.say({ chat: 'a', text: 'short' });
    await parts.say({ chat: 'a', text: LONG });

    const output = await get({});

    const [long, short] = output.messages;
    assert.deepEqual([long?.is_shortened, long?.length, long?.content.length], [true, LONG.length, 501]);
    assert.deepEqual([short?.is_shortened, short?.length, short?.content], [undefined, undefined, 'short']);
    assert.match(getMessages.render?.(output) ?? '', /… \(id \d+, shortened: \d+ characters in all\)\n/);
  });

  test('a long text that was searched is shown around what was found', async () => {
    await parts.say({ chat: 'a', text: `${LONG}then foo_bar%>% at last ${LONG}` });

    const [part] = (await get({ search: 'bar%>%' })).messages;
    const [hit] = (await find({ query: 'last' })).messages;

    assert.match(part?.content ?? '', /^….*then foo_bar%>% at last needle.*…$/);
    assert.match(hit?.content ?? '', /^….*foo_bar%>% at last needle.*…$/);
    assert.deepEqual([part?.is_shortened, hit?.is_shortened], [true, true]);
  });

  test('all of it is given where it is asked for, in a thread, and by other doors', async () => {
    await parts.say({ chat: 'a', text: LONG });
    const [{ id = '' } = {}] = (await get({})).messages;

    const full = [
      await get({ full: true }),
      await find({ query: 'needle', full: true }),
      await getThread.run(getThread.input.parse({ message_id: id }), parts),
      await getMessages.run(getMessages.input.parse({}), { ...parts, door: 'rest' }),
      await searchRoute.run(searchRoute.input.parse({ q: 'needle' }), { ...parts, door: 'rest' }),
    ];
    const asked = await getMessages.run(getMessages.input.parse({ full: false }), { ...parts, door: 'rest' });

    for (const { messages } of full)
      assert.deepEqual([messages[0]?.content, messages[0]?.is_shortened], [LONG, undefined]);
    assert.equal(asked.messages[0]?.is_shortened, true);
  });

  for (const [what, text, count = 120] of [
    ['long texts', LONG],
    ['short texts', 'ok'],
    ['quotes and line breaks', '"\n\\'.repeat(300)],
    ['hidden characters', '\u200b\u202e'.repeat(450), 25],
    ['many bytes for each character', '漢字'.repeat(480)],
  ] as [string, string, number?][]) {
    test(`a default page has at most 20 KB, and its cursor goes on where it ends: ${what}`, async () => {
      for (let number = 0; number < count; number += 1) {
        await parts.say({ chat: 'Ops'.repeat(10), sender: 'A rather long name', text: `needle ${number} ${text}` });
      }

      const pages = await allPages(get, {});
      const found = await allPages(find, { query: 'needle' });

      for (const { messages, is_cut: isCut, next_cursor: next } of [...pages, ...found]) {
        assert.ok(!isCut || next !== undefined);
        assert.ok(messages.length > 0);
      }
      for (const page of pages) assert.ok(bytesOf(getMessages, page) <= 20_000, `${bytesOf(getMessages, page)}`);
      for (const page of found) assert.ok(bytesOf(searchMessages, page) <= 20_000, `${bytesOf(searchMessages, page)}`);
      for (const all of [pages, found]) {
        assert.equal(new Set(all.flatMap(({ messages }) => messages.map(({ id }) => id))).size, count);
      }
      assert.match(
        getMessages.render?.(pages[0] ?? { messages: [] }) ?? '',
        /\nThe page was cut because of its size; it goes on: cursor \d+$/,
      );
    });
  }

  test('one message with many files and long names and ids is an answer of its own', async () => {
    const attachments = Array.from({ length: 300 }, (_, index) => ({
      type: 'file' as const,
      name: `file ${index} ${'n'.repeat(400)}`,
      mime: `text/${'m'.repeat(5_000)}`,
      url: `https://example.test/${'u'.repeat(2_000)}`,
    }));
    await parts.say({ chat: 'a', chatId: 'c'.repeat(30_000), sender: 'S'.repeat(5_000), text: LONG, attachments });

    const output = await get({});

    const { messages } = structureOf(getMessages, output, {}) as typeof output;
    assert.equal(messages[0]?.attachments?.length, 10);
    assert.ok(bytesOf(getMessages, output) < 20_000);
    assert.match(getMessages.render?.(output) ?? '', / \[290 more files\] \(id/);
  });

  for (const [what, character] of [
    ['letters', 'x'],
    ['quotes', '"'],
    ['many bytes for each character', '漢'],
    ['hidden characters', '\u202e'],
  ] as const) {
    test(`one message with files and reactions of long names has at most 20 KB: ${what}`, async () => {
      const long = character.repeat(5_000);
      const attachments = Array.from({ length: 20 }, () => ({ type: 'file' as const, name: long, mime: long }));
      await parts.say({ chat: 'a', id: 'm', text: `needle ${character.repeat(990)}`, attachments });
      for (let number = 0; number < 12; number += 1) {
        const sender = { id: `${number}`, name: `${number}${long}` };
        const event = { kind: 'reactions', chat: 'a', message: 'm', sender, signs: [...'12345678'], at: 0 } as const;
        await parts.store.messages.record({ source: 'telegram', events: [event], origin: 'live' });
      }

      const [output, found] = [await get({}), await find({ query: 'needle' })];

      assert.ok(bytesOf(getMessages, output) <= 20_000, `${bytesOf(getMessages, output)}`);
      assert.ok(bytesOf(searchMessages, found) <= 20_000, `${bytesOf(searchMessages, found)}`);
      const { messages } = structureOf(getMessages, output, {}) as typeof output;
      assert.equal(messages[0]?.is_shortened, true);
    });
  }

  test('a part of a name that fits very many chats with long names leaves room for messages', async () => {
    for (let number = 0; number < 120; number += 1) {
      await parts.say({
        chat: `Room ${number} ${'漢字 "'.repeat(1_000)}`,
        chatId: `r${number}`,
        text: `needle ${number}`,
      });
    }

    const pages = await allPages(get, { chat: 'room' });
    const found = await allPages(find, { query: 'needle', chat: 'room' });

    for (const page of pages) assert.ok(bytesOf(getMessages, page) <= 20_000, `${bytesOf(getMessages, page)}`);
    for (const page of found) assert.ok(bytesOf(searchMessages, page) <= 20_000, `${bytesOf(searchMessages, page)}`);
    for (const all of [pages, found]) {
      assert.equal(new Set(all.flatMap(({ messages }) => messages.map(({ id }) => id))).size, 120);
    }
    assert.match(getMessages.render?.(pages[0] ?? { messages: [] }) ?? '', /^The name fits 120 chats/m);
    const { matched_chats: listed = [], chat_count: count } = await get({ chat: 'room', full: true });
    assert.deepEqual([listed.length, listed[0]?.name.length, count], [50, 4_009, 120]);
  });

  test('a list of chats with long names has many of them on a page', async () => {
    for (let number = 0; number < 20; number += 1) {
      await parts.say({ chat: `Room ${number} ${'long '.repeat(2_000)}`, chatId: `r${number}` });
    }
    const list = async (door: 'mcp' | 'rest') =>
      listChats.run(listChats.input.parse({ source: 'telegram' }), { ...parts, door });

    const { chats } = await list('mcp');

    assert.equal(chats.length, 20);
    assert.ok(Buffer.byteLength(JSON.stringify(chats)) < 10_000);
    assert.equal((await list('rest')).chats[0]?.name.length, 10_008);
  });

  test('a default list of chats has at most 20 KB, and one with a limit 20 KB of each form', async () => {
    for (let number = 0; number < 150; number += 1) {
      await parts.say({ chat: `Room ${number} ${'漢字'.repeat(100)}`, chatId: `r${number}` });
    }

    for (const [query, isAsked] of [
      [{}, false],
      [{ limit: 500 }, true],
    ] as const) {
      const output = await listChats.run(listChats.input.parse({ source: 'telegram', ...query }), {
        ...parts,
        door: 'mcp',
      });

      const bytes = [JSON.stringify(output), JSON.stringify(listChats.render?.(output))].map((json) =>
        Buffer.byteLength(json),
      );
      assert.ok((isAsked ? Math.max(...bytes) : (bytes[0] ?? 0) + (bytes[1] ?? 0)) <= 20_000, `${bytes}`);
      assert.deepEqual([output.is_cut, typeof output.next_cursor], [true, 'string']);
    }
  });

  test('as many as asked for are given where text and structure have 20 KB each at most, else the page is cut', async () => {
    for (let number = 0; number < 120; number += 1) await parts.say({ chat: 'a', text: 'needle' });
    const short = [await get({ limit: 110 }), await find({ query: 'needle', limit: 110 })];
    for (let number = 0; number < 120; number += 1) await parts.say({ chat: 'a', text: LONG });

    const pages = await allPages(get, { limit: 110 });
    const found = await allPages(find, { query: 'needle', limit: 110 });
    const full = await get({ limit: 110, full: true });

    for (const { messages, is_cut: isCut } of [...short, full]) {
      assert.deepEqual([messages.length, isCut], [110, undefined]);
    }
    for (const [operation, all] of [
      [getMessages, pages],
      [searchMessages, found],
    ] as const) {
      assert.equal(new Set(all.flatMap(({ messages }) => messages.map(({ id }) => id))).size, 240);
      assert.deepEqual([all[0]?.is_cut, typeof all[0]?.next_cursor], [true, 'string']);
      for (const page of all) {
        assert.ok(Buffer.byteLength(operation.render?.(page as never) ?? '') <= 20_000);
        assert.ok(Buffer.byteLength(JSON.stringify(structureOf(operation, page, {}))) <= 20_000);
      }
    }
  });

  test('structured content leaves out what is the default or said elsewhere', async () => {
    await parts.say({ chat: 'Family', chatId: 'f1', sender: 'Mum', text: 'cake' });
    await parts.say({ chat: 'Work', sender: 'Boss', text: 'cake', contentType: 'image' });

    const all = structureOf(searchMessages, await find({ query: 'cake' }), { query: 'cake' });
    const ofSource = structureOf(getMessages, await get({ source: 'telegram' }), { source: 'telegram' });

    const fields = ({ messages }: { messages: readonly object[] }) =>
      messages.map((message) => Object.keys(message).sort());
    const always = ['chat_id', 'content', 'id', 'sender', 'timestamp'];
    assert.equal((all as { source?: string }).source, 'telegram');
    assert.deepEqual(fields(all as { messages: object[] }), [
      [...always, 'content_type'].sort(),
      [...always, 'chat'].sort(),
    ]);
    assert.deepEqual(fields(ofSource as { messages: object[] }), [
      [...always, 'content_type'].sort(),
      [...always, 'chat'].sort(),
    ]);
  });

  test('the resource is shortened and cut too, unless it is asked for in full', async () => {
    for (let number = 0; number < 60; number += 1) await parts.say({ chat: 'a', text: LONG });
    const read = (query: string) =>
      messageResource.read(new URL(`messages://telegram/a${query}`), { source: 'telegram', chat: 'a' }, parts);

    const page = await read('');
    const next = await read(`?cursor=${page._meta?.['switchboard/next_cursor']}`);
    const full = await read('?full=true');

    assert.ok(Buffer.byteLength(JSON.stringify(page)) <= 20_000);
    assert.equal(page._meta?.['switchboard/is_cut'], true);
    assert.equal(page.text.split('\n').length + next.text.split('\n').length, 60);
    assert.equal(full.text.split('\n').length, 60);
    assert.ok(full.text.length > 60 * LONG.length);
  });
});

type Listing = typeof getMessages | typeof searchMessages;
type Page = { messages: readonly { id: string }[]; next_cursor?: string | undefined; is_cut?: boolean | undefined };

async function allPages<Output extends Page>(
  read: (query: object) => Promise<Output>,
  query: object,
): Promise<Output[]> {
  const pages = [await read(query)];
  for (let next = pages[0]?.next_cursor; next !== undefined; next = pages.at(-1)?.next_cursor) {
    pages.push(await read({ ...query, cursor: next }));
  }
  return pages;
}

function structureOf(operation: Listing, output: object, asked: object): object {
  return operation.mcp?.structured?.(output as never, asked as never) ?? output;
}

/** Of the whole answer, as a client gets it. */
function bytesOf(operation: Listing, output: object): number {
  const text = operation.render?.(output as never);
  const answer = { content: [{ type: 'text', text }], structuredContent: structureOf(operation, output, {}) };
  return Buffer.byteLength(JSON.stringify({ result: visibleDeep(answer), jsonrpc: '2.0', id: 1_000_000 }));
}
