import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { chatStore } from '../../../tests/support/chat/store.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import type { Posted } from '../../operation.ts';
import { postMessages } from './post-messages.ts';

const { store, sources, addSource, clock } = chatStore();

describe('messages that are posted', () => {
  test('are stored in their chats, at their time or now', async () => {
    addSource('hook');

    const result = await post([
      { chat: 'ops', sender: 'ci', text: 'old', timestamp: '2026-01-02T03:04:05+01:00' },
      { chat: 'ops', sender: 'ci', text: 'new' },
    ]);

    const { messages } = await store().messages.find({ sources: ['hook'] }, { limit: 10 });
    assert.deepEqual(result, { added: 2, known: 0 });
    assert.deepEqual(
      messages.map(({ text, at }) => [text, at]).sort(),
      [
        ['new', clock.now()],
        ['old', Date.parse('2026-01-02T02:04:05Z')],
      ].sort(),
    );
  });

  test('are one where they have one id, and answers know what they answer', async () => {
    addSource('hook');
    await post([{ chat: 'ops', sender: 'ci', text: 'question', id: 'q' }]);

    const result = await post([
      { chat: 'ops', sender: 'ci', text: 'question', id: 'q' },
      { chat: 'ops', sender: 'me', text: 'answer', id: 'a', reply_to: 'q' },
    ]);

    const { messages } = await store().messages.find({ sources: ['hook'] }, { limit: 10 });
    assert.deepEqual(result, { added: 1, known: 1 });
    assert.equal(
      messages.find(({ text }) => text === 'answer')?.replyTo,
      messages.find(({ text }) => text === 'question')?.id,
    );
  });

  test('leave a chat what it is, unless they say what it is', async () => {
    addSource('hook');
    await post([{ chat: 'ann', sender: 'ann', text: 'hello', chat_type: 'direct' }]);
    await post([{ chat: 'ann', sender: 'ann', text: 'still here' }]);
    await post([{ chat: 'team', sender: 'ann', text: 'hello all' }]);

    const { chats } = await store().chats.list('hook', {}, { limit: 10 });

    assert.deepEqual(Object.fromEntries(chats.map(({ id, type }) => [id, type])), { ann: 'direct', team: 'group' });
  });

  test('do not rename a chat that they mean by its id', async () => {
    addSource('hook');
    await store().messages.record({
      source: 'hook',
      events: [{ kind: 'chat', chat: { id: 'ops', name: 'Operations', type: 'channel' } }],
      origin: 'live',
    });
    await post([{ chat: 'ops', sender: 'ci', text: 'hello' }]);

    const { chats } = await store().chats.list('hook', {}, { limit: 10 });

    assert.partialDeepStrictEqual(chats, [{ id: 'ops', name: 'Operations', type: 'channel' }]);
  });

  test('go to webhook sources alone, which must be there', async () => {
    addSource('irc', { kind: 'irc' });

    await assert.rejects(post([{ chat: 'x', sender: 'y', text: 'z' }], { source: 'irc' }), { code: 'CONFLICT' });
    await assert.rejects(post([{ chat: 'x', sender: 'y', text: 'z' }], { source: 'none' }), {
      code: 'SOURCE_NOT_FOUND',
      message: "Source 'none' not found",
    });
  });

  test('over REST must be signed where the source has a secret, and by command need not', async () => {
    addSource('signed');
    const body = Buffer.from('{}');
    const signature = createHmac('sha256', 'secret').update(body).digest('hex');
    const message = { chat: 'x', sender: 'y', text: 'z' };

    await assert.rejects(post([message], { source: 'signed', posted: { body, header: () => undefined } }), {
      code: 'UNAUTHENTICATED',
    });
    await post([message], {
      source: 'signed',
      posted: { body, header: headers({ 'x-switchboard-signature': signature }) },
    });
    await post([message], { source: 'signed' });

    assert.equal((await store().messages.extent('signed')).count, 2);
  });

  test('with the id of their post in the signature are the same when that post comes again', async () => {
    addSource('signed');
    const body = Buffer.from('[…]');
    const at = String(Math.floor(clock.now() / 1_000));
    const signature = createHmac('sha256', 'secret').update(`p1.${at}.`).update(body).digest('base64');
    const header = headers({ 'webhook-id': 'p1', 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` });
    const messages = [
      { chat: 'x', sender: 'y', text: 'z' },
      { chat: 'x', sender: 'y', text: 'z' },
      { chat: 'x', sender: 'y', text: 'z', id: 'its own' },
    ];

    const first = await post(messages, { source: 'signed', posted: { body, header } });
    const again = await post(messages, { source: 'signed', posted: { body, header } });

    assert.deepEqual(
      [first, again],
      [
        { added: 3, known: 0 },
        { added: 0, known: 3 },
      ],
    );
  });

  test('are rendered', () => {
    assert.equal(postMessages.render?.({ added: 2, known: 0 }), '2 added.');
    assert.equal(postMessages.render?.({ added: 0, known: 3 }), '0 added, 3 known already.');
    assert.deepEqual(postMessages.cli?.total?.({ added: 1, known: 2 }, { added: 3, known: 4 }), { added: 4, known: 6 });
  });
});

function headers(values: Record<string, string>) {
  return (name: string): string | undefined => values[name];
}

function post(messages: readonly object[], { source = 'hook', posted }: { source?: string; posted?: Posted } = {}) {
  const context = contextWith({
    sources,
    messages: store().messages,
    chats: store().chats,
    clock,
    webhooks: { secretOf: async (id: string) => (id === 'signed' ? 'secret' : undefined) },
  });
  const input = postMessages.input.parse({ source, messages });
  return postMessages.run(input, { ...context, ...(posted ? { posted } : {}) });
}
