import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { chatParts, NOW } from '../../../tests/support/chat/parts.ts';
import { messagesCommand } from './follow-messages.ts';
import { getMessages } from './get-messages.ts';

describe('following messages', () => {
  let parts: Awaited<ReturnType<typeof chatParts>>;

  beforeEach(async () => {
    parts = await chatParts([{ id: 'telegram' }, { id: 'irc' }]);
  });
  afterEach(() => parts.close());

  const get = async (query: object) => getMessages.run(getMessages.input.parse(query), parts);
  const texts = (messages: readonly { content: string }[]) => messages.map(({ content }) => content);

  const getMessagesOf = async (chat: string, source: string) => {
    await parts.say({ source, chat, text: 'hello' });
    return get({ source, chat });
  };

  const follow = (input: object, signal = new AbortController().signal) => {
    const stream = messagesCommand.follow?.stream(messagesCommand.input.parse(input), { ...parts, signal });
    assert(stream);
    return stream[Symbol.asyncIterator]();
  };

  test('returns stored messages, then new ones that match the filter', async () => {
    await parts.say({ chat: 'Family', text: 'old' });
    const stream = follow({ where: 'telegram:fam', follow: true, sender: 'mum' });
    const first = await stream.next();

    await parts.say({ chat: 'Family', sender: 'Mum', text: 'new' });
    await parts.say({ chat: 'Family', sender: 'Dad', text: 'not hers' });
    await parts.say({ chat: 'Work', sender: 'Mum', text: 'not there' });
    await parts.say({ chat: 'Family', sender: 'Mum', text: 'late, but of yesterday', at: NOW - 86_400_000 });
    await parts.say({ chat: 'Family', sender: 'Mum', text: 'imported', origin: 'import' });
    const second = await stream.next();
    const third = stream.next();
    await parts.say({ chat: 'Family', sender: 'Mum', text: 'newer' });

    assert.deepEqual(texts(first.value.messages), []);
    assert.deepEqual(texts(second.value.messages), ['late, but of yesterday', 'new']);
    assert.deepEqual(texts((await third).value.messages), ['newer']);
    await stream.return?.();
  });

  test('resumes after the position of an earlier output, without loss or duplicates', async () => {
    await parts.say({ chat: 'Family', text: 'one' });
    const broken = follow({ where: 'telegram:fam', follow: true });
    const { value } = await broken.next();
    await broken.return?.();
    await parts.say({ chat: 'Family', text: 'two' });

    const asked = messagesCommand.follow?.resume(
      messagesCommand.input.parse({ where: 'telegram:fam', follow: true }),
      messagesCommand.output.parse(value),
    );
    const stream = follow(asked ?? {});

    assert.deepEqual(texts(value.messages), ['one']);
    assert.deepEqual(texts((await stream.next()).value.messages), ['two']);
    await stream.return?.();
  });

  test('returns a message only once that arrives while the first page is read', async () => {
    const { find } = parts.messages;
    let isFirst = true;
    parts.messages.find = async (...asked) => {
      if (isFirst) {
        isFirst = false;
        await parts.say({ chat: 'Family', text: 'meanwhile' });
      }
      return find.apply(parts.messages, asked);
    };
    await parts.say({ chat: 'Family', text: 'before' });
    const stream = follow({ where: 'telegram:fam', follow: true });

    const first = await stream.next();
    await parts.say({ chat: 'Family', text: 'after' });
    const second = await stream.next();

    assert.deepEqual(texts(first.value.messages), ['meanwhile', 'before']);
    assert.deepEqual(texts(second.value.messages), ['after']);
    await stream.return?.();
  });

  test('continues in a restored store that has fewer events than before', async () => {
    await parts.say({ chat: 'Family', text: 'one' });
    const stream = follow({ where: 'telegram:fam', follow: true, after: 1_000_000 });

    const next = stream.next();
    await parts.say({ chat: 'Family', text: 'two' });

    assert.deepEqual(texts((await next).value.messages), ['two']);
    await stream.return?.();
  });

  test('ends when its signal is aborted', async () => {
    await parts.say({ chat: 'Family', text: 'one' });
    const over = new AbortController();
    const stream = follow({ where: 'telegram:fam', follow: true }, over.signal);
    await stream.next();

    const next = stream.next();
    over.abort();

    assert.equal((await next).done, true);
  });

  test('names the chat of each message if there may be several', async () => {
    const [first] = (await getMessagesOf('Family', 'telegram')).messages;
    const [second] = (await getMessagesOf('Family', 'irc')).messages;
    const list = messagesCommand.cli?.list;
    assert(first && second && list);

    const line = (all: unknown[], where?: string) => list.line(first, { all, input: { where } });
    const row = (all: unknown[]) => list.row?.(first, { all, input: {} })?.chat;

    assert.match(line([first], 'telegram:Family'), /Z\] Alice: hello$/);
    assert.match(line([first, second], '*:Family'), /Z\] telegram\/Family \| Alice: hello$/);
    assert.match(line([first], 'telegram:*'), /Z\] telegram\/Family \| Alice: hello$/);
    assert.match(line([first]), /Z\] telegram\/Family \| Alice: hello$/);
    assert.deepEqual([row([first]), row([first, second])], ['Family', 'telegram/Family']);
  });

  test('is used only if requested', async () => {
    const { isWanted } = messagesCommand.follow ?? {};
    const output = messagesCommand.output.parse(await messagesCommand.run(messagesCommand.input.parse({}), parts));

    assert.deepEqual(
      [{}, { follow: true }].map((input) => isWanted?.(messagesCommand.input.parse(input))),
      [false, true],
    );
    assert.equal(output.position, undefined);
  });
});
