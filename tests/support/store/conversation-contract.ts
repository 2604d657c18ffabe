import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Conversation, type ConversationCommand, follow } from '../../../src/domain/conversation.ts';
import { textBlock } from '../../../src/domain/conversation-message.ts';
import type { ConversationId } from '../../../src/domain/ids.ts';
import type { Store } from './open-store.ts';

/** What every database must do with conversations with Claude. */
export function conversationContract(store: () => Store): void {
  const repository = () => store().conversations;

  async function apply(before: Conversation | undefined, command: ConversationCommand): Promise<Conversation> {
    const { conversation, events } = follow(before, command);
    await repository().save(conversation, events);
    return conversation;
  }

  const start = (id: string, at: number, more: { identity?: string; title?: string } = {}) =>
    apply(undefined, {
      kind: 'create',
      id: id as ConversationId,
      owner: 'local',
      identity: 'local',
      answersTo: 'local',
      isOwners: true,
      model: 'claude-opus-5-5',
      settings: {},
      tools: ['*'],
      autoApprove: [],
      budget: {},
      ...more,
      at,
    });

  const say = (before: Conversation, text: string, clientId?: string) =>
    apply(before, {
      kind: 'add-message',
      message: {
        id: `${before.id}-${before.messageCount + 1}`,
        role: 'user',
        content: [textBlock(text)],
        at: 5,
        state: 'complete',
        ...(clientId === undefined ? {} : { clientId }),
      },
      at: before.changedAt + 1,
    });

  const texts = async (id: string, page?: { before?: number; limit?: number }) =>
    (await repository().messages(id as ConversationId, page)).map(({ content: [block] }) => block?.text);

  test('CORE-10 a saved conversation is found by its id, with its messages in their order', async () => {
    const first = await start('a', 1, { title: 'Ä "quoted" \u0000' });
    const second = await say(first, 'One');
    const third = await say(second, 'Two');

    assert.deepEqual(await repository().find(first.id), third);
    assert.deepEqual(await texts('a'), ['One', 'Two']);
    assert.equal(await repository().find('nobody' as ConversationId), undefined);
  });

  test('CORE-10 messages come page by page, the newest page first', async () => {
    let conversation = await start('a', 1);
    for (const text of ['1', '2', '3', '4', '5']) conversation = await say(conversation, text);

    assert.deepEqual(await texts('a', { limit: 2 }), ['4', '5']);
    assert.deepEqual(await texts('a', { limit: 2, before: 4 }), ['2', '3']);
    assert.deepEqual(await texts('a', { before: 2 }), ['1']);
  });

  test('CORE-10 conversations are listed by their last change, filtered and page by page', async () => {
    const old = await start('a', 1, { title: 'Budget 2026' });
    await start('b', 2, { identity: 'a token' });
    await start('c', 2);
    await apply(old, { kind: 'archive', at: 9 });
    const ids = async (filter?: Parameters<Store['conversations']['list']>[0]) =>
      (await repository().list(filter)).map(({ id }) => id);

    assert.deepEqual(await ids(), ['a', 'c', 'b']);
    assert.deepEqual(await ids({ limit: 1, after: { changedAt: 9, id: 'a' as ConversationId } }), ['c']);
    assert.deepEqual(await ids({ after: { changedAt: 2, id: 'c' as ConversationId } }), ['b']);
    assert.deepEqual(await ids({ status: 'archived' }), ['a']);
    assert.deepEqual(await ids({ identity: 'a token' }), ['b']);
    assert.deepEqual(await ids({ title: 'budget' }), ['a']);
  });

  test('CORE-10 a deleted conversation no longer exists, is not found, and leaves its id free', async () => {
    const { id } = await say(await start('a', 1), 'A secret word');

    const answers = [await repository().delete(id), await repository().delete(id)];

    assert.deepEqual(answers, [true, false]);
    assert.deepEqual([await repository().find(id), await texts('a')], [undefined, []]);
    assert.deepEqual(await repository().search('secret'), []);
    await start('a', 3);
  });

  test('a change of an older state is refused, and leaves nothing behind', async () => {
    const before = await start('a', 1);
    await say(before, 'First');

    await assert.rejects(say(before, 'Second'), { code: 'CONFLICT' });
    await assert.rejects(start('a', 4), { code: 'CONFLICT' });

    assert.deepEqual(await texts('a'), ['First']);
  });

  test('CORE-05 a change is written with its events, without what was said', async () => {
    await say(await start('a', 1), 'A secret word');

    const events = (await store().events.read(0)).filter(({ type }) => type.startsWith('conversation.'));

    assert.deepEqual(
      events.map(({ type }) => type),
      ['conversation.created', 'conversation.message-added'],
    );
    assert.deepEqual(events[1]?.data, {
      message_id: 'a-1',
      role: 'user',
      number: 1,
      state: 'complete',
      content_length: 13,
    });
    assert.doesNotMatch(JSON.stringify(events), /secret|identity/);
  });

  test('a message is found by the id that its client chose, within its conversation', async () => {
    const [a, b] = [await start('a', 1), await start('b', 1)];
    await say(a, 'Once', 'key');

    assert.partialDeepStrictEqual(await repository().sentAs(a.id, 'key'), { number: 1, clientId: 'key' });
    assert.equal(await repository().sentAs(b.id, 'key'), undefined);
  });

  test('messages are searched by words, whatever else is in the query', async () => {
    const a = await say(await start('a', 1), 'Die Straße nach Köln');
    await say(a, 'The road to nowhere');
    await say(await start('b', 2, { identity: 'a token' }), 'The road to Rome');
    const found = async (query: string, filter?: { identity?: string; limit?: number }) =>
      (await repository().search(query, filter)).map(({ message }) => message.id);

    assert.deepEqual(await found('road'), ['b-1', 'a-2']);
    assert.deepEqual(await found('road', { identity: 'local' }), ['a-2']);
    assert.deepEqual(await found('road', { limit: 1 }), ['b-1']);
    assert.deepEqual(await found('koln'), ['a-1']);
    assert.deepEqual(await found('road AND "NEAR(x) OR* -'), []);
    assert.deepEqual(await found('"*(-'), []);
  });

  test('conversations whose turn was running are found after a restart', async () => {
    const a = await start('a', 1);
    await start('b', 1);
    const message = { id: 'm', role: 'user', content: [], at: 2, state: 'complete' } as const;
    await apply(a, { kind: 'begin-turn', message, at: 2 });

    assert.deepEqual(
      (await repository().running()).map(({ id }) => id),
      ['a'],
    );
  });
}
