import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chatContract } from './chat-contract.ts';
import { messageOrderContract } from './message-order-contract.ts';
import { messageQueryContract } from './message-query-contract.ts';
import { keysOf, MINUTE, message, messageHands, START, said, textOf, texts } from './message-samples.ts';
import { messageSearchContract } from './message-search-contract.ts';
import type { Store } from './open-store.ts';

/** What every database must do with messages. */
export function messageContract(store: () => Store): void {
  const { record, say, find } = messageHands(store);
  const only = async () => {
    const [message] = (await store().messages.find({}, { limit: 1 })).messages;
    assert.ok(message);
    return message;
  };

  describe('recording', () => {
    test('a message is read back unchanged', async () => {
      await say({
        chat: { id: '#ops', name: 'Operations', type: 'group', participantCount: 3 },
        id: 'm1',
        sender: { id: 'ada', name: 'Ada' },
        isOwn: true,
        text: 'Grüße\n世界 🍕',
        contentType: 'image',
        at: START,
        editedAt: START + 1,
        attachments: [{ type: 'image', name: 'plan.png', mime: 'image/png', size: 7, url: 'https://x/y' }],
      });

      const message = await only();

      const { key } = message.chat;
      assert.deepEqual(message, {
        id: String(Math.floor((START * 1024) / 1000)),
        source: 'irc',
        chat: {
          key,
          source: 'irc',
          id: '#ops',
          name: 'Operations',
          type: 'group',
          participantCount: 3,
          lastMessageAt: START,
        },
        externalId: 'm1',
        sender: { id: 'ada', name: 'Ada' },
        isOwn: true,
        text: 'Grüße\n世界 🍕',
        contentType: 'image',
        at: START,
        editedAt: START + 1,
        attachments: [{ type: 'image', name: 'plan.png', mime: 'image/png', size: 7, url: 'https://x/y' }],
      });
      assert.deepEqual(await store().messages.byId(message.id), message);
      assert.deepEqual(await store().messages.byExternalId(key, 'm1'), message);
      assert.equal(await store().messages.byId('12'), undefined);
      assert.equal(await store().messages.byId('no id'), undefined);
    });

    test('the same message twice is stored once, in one batch and in two', async () => {
      const first = await say(message('a'), message('a'));
      const second = await say(message('a'), message('b'));

      assert.deepEqual(
        [first, second],
        [
          { added: 1, changed: 0, known: 1 },
          { added: 1, changed: 0, known: 1 },
        ],
      );
      assert.deepEqual(await find(), ['text of b', 'text of a']);
    });

    test('the same id in another chat or source is another message', async () => {
      await say(message('a'), message('a', { chat: { id: '#other' } }));
      await record([{ kind: 'message', message: message('a') }], { source: 'xmpp' });

      assert.equal((await find()).length, 3);
    });

    test('properties of a chat that the network omits are unchanged', async () => {
      await say(message('a', { chat: { id: '#x', name: 'Name', type: 'channel', participantCount: 9 } }));
      await say(message('b', { chat: { id: '#x' } }));
      await record([{ kind: 'chat', chat: { id: '#x', participantCount: 10 } }]);

      const { chats } = await store().chats.list('irc', {}, { limit: 10 });

      assert.deepEqual(
        chats.map(({ name, type, participantCount }) => ({ name, type, participantCount })),
        [{ name: 'Name', type: 'channel', participantCount: 10 }],
      );
    });

    test('a repeated message with a later edit is changed, otherwise it is ignored', async () => {
      await say(message('a', { text: 'first' }));

      const outcomes = [
        await say(message('a', { text: 'second', editedAt: START + MINUTE })),
        await say(message('a', { text: 'stale', editedAt: START + 1 })),
        await say(message('a', { text: 'without a moment' })),
      ];

      assert.deepEqual(
        outcomes.map(({ changed }) => changed),
        [1, 0, 0],
      );
      assert.deepEqual(await find(), ['second']);
      assert.deepEqual(await find({ text: { kind: 'words', text: 'first' } }), []);
      assert.deepEqual(await find({ text: { kind: 'words', text: 'second' } }), ['second']);
    });

    test('only the sender can edit and delete, if the network reports who does', async () => {
      await say(message('a'), message('b'));

      const outcome = await record([
        { kind: 'edit', chat: '#ops', message: 'a', text: 'forged', at: START + MINUTE, sender: 'mallory' },
        { kind: 'delete', chat: '#ops', message: 'b', at: START + MINUTE, sender: 'mallory' },
        { kind: 'edit', chat: '#ops', message: 'a', text: 'mended', at: START + MINUTE, sender: 'ada' },
      ]);

      assert.deepEqual(outcome, { added: 0, changed: 1, known: 2 });
      assert.deepEqual(await find(), ['text of b', 'mended']);
    });

    test('a deleted message is listed without its text and not found by its text', async () => {
      await say(message('a', { text: 'secret', attachments: [{ type: 'file', name: 'plan.pdf' }] }));
      await record([{ kind: 'delete', chat: '#ops', message: 'a', at: START + MINUTE }]);
      await record([{ kind: 'edit', chat: '#ops', message: 'a', text: 'late', at: START + 2 * MINUTE }]);
      await say(message('a', { text: 'again', editedAt: START + 3 * MINUTE }));

      const { text, deletedAt, attachments } = await only();

      assert.deepEqual(
        { text, deletedAt, attachments },
        { text: '', deletedAt: START + MINUTE, attachments: undefined },
      );
      for (const kind of ['words', 'part'] as const) {
        for (const wanted of ['secret', 'plan', 'late', 'again']) {
          assert.deepEqual(await find({ text: { kind, text: wanted } }), []);
        }
      }
    });

    test('reactions are stored per sender', async () => {
      const [ada, bob] = [
        { id: 'ada', name: 'Ada' },
        { id: 'bob', name: 'Bob' },
      ];
      const about = { chat: '#ops', message: 'a', at: START + 1 };
      await say(message('a'));

      await record([
        { kind: 'reactions', ...about, sender: ada, signs: ['👍', '🎉'] },
        { kind: 'reaction', ...about, sender: bob, sign: '👍' },
        { kind: 'reaction', ...about, sender: bob, sign: '❤️' },
        { kind: 'reaction', ...about, sender: bob, sign: '❤️', removed: true },
        { kind: 'reactions', ...about, at: START + 2, sender: ada, signs: ['👍'] },
        { kind: 'reactions', ...about, at: START, sender: ada, signs: ['👎'] },
      ]);
      const { reactions } = await only();
      await record([{ kind: 'reactions', ...about, at: START + 3, sender: ada, signs: [] }]);

      assert.deepEqual(reactions, [{ sign: '👍', senders: ['Bob', 'Ada'] }]);
      assert.deepEqual((await only()).reactions, [{ sign: '👍', senders: ['Bob'] }]);
    });

    test('edits, deletions and reactions received before their message are applied when it arrives', async () => {
      const sender = { id: 'bob', name: 'Bob' };
      await record([
        { kind: 'edit', chat: '#ops', message: 'a', text: 'forged', at: START + 1, sender: 'mallory' },
        { kind: 'edit', chat: '#ops', message: 'a', text: 'edited', at: START + 2 },
        { kind: 'reaction', chat: '#ops', message: 'a', sender, sign: '👍', at: START + 3 },
        { kind: 'delete', chat: '#ops', message: 'b', at: START + 4 },
      ]);
      assert.deepEqual((await store().chats.list('irc', {}, { limit: 10 })).chats, []);

      await say(message('a', { text: 'original' }), message('b'));

      const { messages } = await store().messages.find({}, { limit: 10 });
      assert.deepEqual(texts(messages), ['', 'edited']);
      assert.deepEqual(messages[1]?.reactions, [{ sign: '👍', senders: ['Bob'] }]);
      assert.deepEqual(await find({ text: { kind: 'words', text: 'original' } }), []);
    });

    test('the state of a timeline is stored with a batch, per source', async () => {
      await record([], { timeline: { id: 'all', newest: '7', complete: false } });
      await record([], { timeline: { id: 'all', newest: '8', oldest: '2', complete: true, chat: '#ops' } });

      assert.deepEqual(await store().messages.timelines('irc'), [
        { id: 'all', newest: '8', oldest: '2', complete: true, chat: '#ops' },
      ]);
      assert.deepEqual(await store().messages.timelines('xmpp'), []);
    });

    test('omitted properties of a timeline are unchanged', async () => {
      await record([], { timeline: { id: 'all', newest: '7', oldest: '5', complete: true, chat: '#ops' } });
      await record([], { timeline: { id: 'all', newest: '8' } });
      await record([], { timeline: { id: 'all', oldest: '2' } });

      assert.deepEqual(await store().messages.timelines('irc'), [
        { id: 'all', newest: '8', oldest: '2', complete: true, chat: '#ops' },
      ]);
    });
  });

  describe('events for subscribers', () => {
    test('CHAT-30 one for each new message, with its source and chat', async () => {
      const chat = { id: '#o/ps é', name: 'Ops', type: 'group' } as const;
      await say(message('a', { chat, text: 'x'.repeat(3_000), isOwn: true }), message('a', { chat }));

      const events = await store().events.read(0, { types: ['message.'] });

      assert.deepEqual(
        events.map(({ type, subject, data }) => ({ type, subject, data })),
        [
          {
            type: 'message.received',
            subject: 'messages://irc/%23o%2Fps%20%C3%A9',
            data: {
              source: 'irc',
              chat_id: chat.id,
              chat: 'Ops',
              chat_type: 'group',
              message_id: (await only()).id,
              sender: 'Ada',
              sender_id: 'ada',
              content: 'x'.repeat(2_000),
              is_shortened: true,
              timestamp: new Date((await only()).at).toISOString(),
              own: true,
            },
          },
        ],
      );
    });

    test('one for each change, and none if nothing changed', async () => {
      const about = { chat: '#ops', message: 'a', at: START + MINUTE };
      const reaction = { kind: 'reaction', ...about, sender: { id: 'bob', name: 'Bob' }, sign: '👍' } as const;
      await say(message('a'));

      await record([
        { kind: 'edit', ...about, text: 'new' },
        { kind: 'edit', ...about, text: 'new' },
      ]);
      await record([reaction, reaction]);
      await record([
        { kind: 'delete', ...about },
        { kind: 'delete', ...about },
      ]);

      const events = await store().events.read(0, { types: ['message.'] });
      assert.deepEqual(
        events.map(({ type, data }) => [type, data.content]),
        [
          ['message.received', 'text of a'],
          ['message.edited', 'new'],
          ['message.reaction', 'new'],
          ['message.deleted', ''],
        ],
      );
    });

    test('one for each batch of history, and none if it added nothing', async () => {
      const events = said([message('a'), message('b')]);
      for (const origin of ['older', 'newer', 'import'] as const) await record(events, { origin });

      const heard = await store().events.read(0);

      assert.deepEqual(
        heard.map(({ type, subject, data }) => ({ type, subject, data })),
        [{ type: 'messages.imported', subject: 'messages://irc/', data: { source: 'irc', count: 2 } }],
      );
    });

    test('one for each missed message in the history, and none for other history', async () => {
      const events = said(['a', 'b', 'c'].map((id, index) => message(id, { at: 1_000 + index })));
      await record(events, { origin: 'older', missedSince: 1_001 });
      await record(events, { origin: 'newer', missedSince: 0 });

      const heard = await store().events.read(0);

      assert.deepEqual(
        heard.map(({ type, data }) => [type, data.content ?? data.count]),
        [
          ['messages.imported', 1],
          ['message.received', 'text of b'],
          ['message.received', 'text of c'],
        ],
      );
    });
  });

  describe('order', () => messageOrderContract(store));

  describe('search', () => messageSearchContract(store));
  describe('search by operators', () => messageQueryContract(store));

  describe('chats and sources', () => chatContract(store));

  describe('around a message', () => {
    test('its neighbours are from the same chat, oldest first', async () => {
      await say(...'abcde'.split('').map((id) => message(id)), message('x', { chat: { id: '#other' } }));
      const { messages } = await store().messages.find({}, { limit: 10 });
      const middle = messages.find(({ externalId }) => externalId === 'c')?.id ?? '';

      assert.deepEqual(texts(await store().messages.around(middle, 1, 5)), ['b', 'c', 'd', 'e'].map(textOf));
      assert.deepEqual(await store().messages.around('1', 1, 1), []);
    });

    test('a thread is the message it replies to and the replies, oldest first', async () => {
      await say(
        message('a'),
        message('b', { replyTo: 'a' }),
        message('c', { replyTo: 'b' }),
        message('d', { replyTo: 'a' }),
        message('e'),
        message('f', { replyTo: 'missing' }),
        message('b', { chat: { id: '#other' }, replyTo: 'a' }),
      );
      const { messages } = await store().messages.find({}, { limit: 10 });
      const idOf = (wanted: string) => messages.findLast(({ externalId }) => externalId === wanted)?.id ?? '';

      const thread = async (id: string, limit = 10) => texts(await store().messages.thread(idOf(id), limit));

      assert.deepEqual(await thread('c'), ['a', 'b', 'c', 'd'].map(textOf));
      assert.deepEqual(await thread('e'), ['text of e']);
      assert.deepEqual(await thread('f'), ['text of f']);
      assert.equal((await thread('a', 2)).length, 2);
      assert.equal((await store().messages.byId(idOf('c')))?.replyTo, idOf('b'));
      assert.equal((await store().messages.byId(idOf('f')))?.replyTo, undefined);
    });

    test('participants are the senders, most active first', async () => {
      const bob = { id: 'bob', name: 'Bob' };
      await say(message('a', { sender: bob }), message('b'), message('c', { sender: bob }));
      const [ops] = await keysOf(store(), '#ops');

      assert.deepEqual(await store().messages.participants(ops, 10), [
        { ...bob, messages: 2 },
        { id: 'ada', name: 'Ada', messages: 1 },
      ]);
      assert.equal((await store().messages.participants(ops, 1)).length, 1);
      assert.equal(await store().messages.participantCount(ops), 2);
    });

    test('the extent of a source and of a chat is their number and range of messages', async () => {
      await say(message('a', { at: START }), message('b', { at: START + 5, chat: { id: '#other' } }));
      const [other] = await keysOf(store(), '#other');

      assert.deepEqual(await store().messages.extent('irc'), { count: 2, oldest: START, newest: START + 5 });
      assert.deepEqual(await store().messages.extent('irc', other), { count: 1, oldest: START + 5, newest: START + 5 });
      assert.deepEqual(await store().messages.extent('nowhere'), { count: 0 });
    });
  });
}
