import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { chatStore } from '../../../tests/support/chat/store.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import type { Posted } from '../../operation.ts';
import { postMessages } from './post-messages.ts';

const { store, sources, addSource, clock } = chatStore();

describe('posting messages', () => {
  test('stores them in their chats, with their timestamp or the current one', async () => {
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

  test('stores messages with the same id once, and resolves replies', async () => {
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

  test('does not change the type of a chat unless it is given', async () => {
    addSource('hook');
    await post([{ chat: 'ann', sender: 'ann', text: 'hello', chat_type: 'direct' }]);
    await post([{ chat: 'ann', sender: 'ann', text: 'still here' }]);
    await post([{ chat: 'team', sender: 'ann', text: 'hello all' }]);

    const { chats } = await store().chats.list('hook', {}, { limit: 10 });

    assert.deepEqual(Object.fromEntries(chats.map(({ id, type }) => [id, type])), { ann: 'direct', team: 'group' });
  });

  test('does not rename a chat that is given by its id', async () => {
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

  test('is refused for other kinds of sources, and for unknown ones', async () => {
    addSource('irc', { kind: 'irc' });

    await assert.rejects(post([{ chat: 'x', sender: 'y', text: 'z' }], { source: 'irc' }), { code: 'CONFLICT' });
    await assert.rejects(post([{ chat: 'x', sender: 'y', text: 'z' }], { source: 'none' }), {
      code: 'SOURCE_NOT_FOUND',
      message: "Source 'none' not found",
    });
  });

  test('requires a signature over REST if the source has a secret, but not by command', async () => {
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

  test('stores a repeated request once if its signature covers its id', async () => {
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

  test('is rendered as text', () => {
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
