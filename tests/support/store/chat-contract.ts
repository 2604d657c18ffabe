import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceRow } from '../../../src/chat/ports.ts';
import { keysOf, message, messageHands, START, said } from './message-samples.ts';
import type { Store } from './open-store.ts';
import { coded, ids } from './samples.ts';

/** What every database must do with chats and their sources. */
export function chatContract(store: () => Store): void {
  const { record, say, find } = messageHands(store);
  const chatsNamed = async (wanted: string, sources?: string[]) => ids(await store().chats.resolve(sources, wanted));

  test('CHAT-06 chats are listed most recently active first, page by page', async () => {
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      await say(message(id, { chat: { id, name: `Chat ${id}` }, at: START + (index % 3) * 1_000 }));
    }
    await record([{ kind: 'chat', chat: { id: 'silent' } }]);

    const first = await store().chats.list('irc', {}, { limit: 3 });
    const second = await store().chats.list('irc', {}, { limit: 3, after: first.next ?? '' });

    assert.deepEqual(
      [ids(first.chats), ids(second.chats)],
      [
        ['c', 'e', 'b'],
        ['d', 'a', 'silent'],
      ],
    );
    assert.equal(second.next, undefined);
    assert.deepEqual((await store().chats.list('xmpp', {}, { limit: 3 })).chats, []);
  });

  test('CHAT-07 CHAT-08 chats are listed by type, by a part of the name and by time of activity', async () => {
    await say(
      message('a', { chat: { id: '1', name: 'Family', type: 'group' }, at: START }),
      message('b', { chat: { id: '2', name: 'Zoë', type: 'direct' }, at: START + 1 }),
      message('c', { chat: { id: '3', name: 'News', type: 'channel' }, at: START + 2 }),
    );
    const list = async (filter: Parameters<Store['chats']['list']>[1]) =>
      ids((await store().chats.list('irc', filter, { limit: 10 })).chats);

    assert.deepEqual(await list({ type: 'group' }), ['1']);
    assert.deepEqual(await list({ name: 'fam' }), ['1']);
    assert.deepEqual(await list({ name: 'ZOE' }), ['2']);
    assert.deepEqual(await list({ name: '%' }), []);
    assert.deepEqual(await list({ activeSince: START + 1 }), ['3', '2']);
    assert.deepEqual(await list({ type: 'group', name: 'news' }), []);
  });

  test('CHAT-09 a chat is resolved by its id, else by its exact name, else by a part of the name', async () => {
    await say(
      message('a', { chat: { id: 'Team', name: 'Other' } }),
      message('b', { chat: { id: '2', name: 'Team' } }),
      message('c', { chat: { id: '3', name: 'Team Süd' } }),
      message('d', { chat: { id: '4', name: 'Team Nord' } }),
    );
    await record(said([message('a', { chat: { id: '9', name: 'Team Sud' } })]), { source: 'xmpp' });

    assert.deepEqual(await chatsNamed('Team'), ['Team']);
    assert.deepEqual(await chatsNamed('team'), ['2']);
    assert.deepEqual(await chatsNamed('TEAM SUD', ['irc']), ['3']);
    assert.deepEqual(await chatsNamed('team sud'), ['3', '9']);
    assert.deepEqual(await chatsNamed('eam n'), ['4']);
    assert.deepEqual(await chatsNamed('nobody'), []);
    assert.deepEqual(await chatsNamed(''), []);
    assert.deepEqual(await chatsNamed('Team', ['nowhere']), []);
  });

  test('a part of a name is resolved to all chats that have it, however many', async () => {
    const count = 2_100;
    const chats = Array.from({ length: count }, (_, index) => ({ id: `c${index}`, name: `Room ${index}` }));
    await record(chats.map((chat) => ({ kind: 'chat', chat })));

    assert.equal(new Set(await chatsNamed('room')).size, count);
  });

  test('CHAT-09 the id of a chat in one source does not hide a chat of that name in another source', async () => {
    await say(message('a', { chat: { id: '1', name: 'Family' } }));
    await record(said([message('b', { chat: { id: 'Family', name: 'Family' } })]), { source: 'hook' });
    await record(said([message('c', { chat: { id: '3', name: 'Family abroad' } })]), { source: 'xmpp' });

    assert.deepEqual((await chatsNamed('Family')).sort(), ['1', 'Family']);
    assert.deepEqual(await chatsNamed('Family', ['hook']), ['Family']);
    assert.deepEqual(await chatsNamed('Family', ['hook', 'xmpp']), ['Family']);
  });

  test('a chat is found by its key', async () => {
    await say(message('a', { chat: { id: '#x', name: 'X', type: 'group' } }));
    const [found] = await store().chats.resolve(['irc'], '#x');

    assert.ok(found);
    assert.deepEqual(await store().chats.byKey(found.key), found);
    assert.equal(await store().chats.byKey(999), undefined);
  });

  test('added sources are stored, each id once', async () => {
    const row: SourceRow = {
      id: 'w',
      kind: 'webhook',
      name: 'W',
      settings: { a: 1, b: 'x', c: true },
      createdAt: START,
    };
    await store().sources.add(row);

    await assert.rejects(store().sources.add({ ...row, name: 'again' }), coded('CONFLICT'));

    assert.deepEqual(await store().sources.list(), [row]);
  });

  test('a value remembered by a connection is available to the next one', async () => {
    await store().sources.remember('irc', 'token', 'a');
    await store().sources.remember('irc', 'token', 'b');

    assert.equal(await store().sources.recall('irc', 'token'), 'b');
    assert.equal(await store().sources.recall('xmpp', 'token'), undefined);
  });

  test('removing a source deletes all its data, and nothing of another source', async () => {
    const messages = Array.from({ length: 1_200 }, (_, n) =>
      message(`m${n}`, { text: `onlyhere${n} shared`, at: START + n }),
    );
    for (let start = 0; start < messages.length; start += 400) await record(said(messages.slice(start, start + 400)));
    await record(said([message('x', { text: 'shared elsewhere' })]), { source: 'xmpp' });
    await store().sources.add({ id: 'irc', kind: 'irc', name: 'IRC', settings: {}, createdAt: START });
    await store().sources.remember('irc', 'token', 'a');
    await record([], { timeline: { id: 'all', complete: true } });
    const progress: string[] = [];

    const gone = await store().sources.remove('irc', (done, total) => progress.push(`${done}/${total}`));

    assert.equal(gone, 1_200);
    assert.deepEqual(progress, ['500/1200', '1000/1200', '1200/1200']);
    assert.deepEqual(await store().sources.withData(), ['xmpp']);
    assert.deepEqual(await store().sources.list(), []);
    assert.equal(await store().sources.recall('irc', 'token'), undefined);
    assert.deepEqual(await store().messages.timelines('irc'), []);
    assert.deepEqual(await chatsNamed('#ops', ['irc']), []);
    assert.deepEqual(await find({ text: { kind: 'words', text: 'shared' } }), ['shared elsewhere']);
    assert.deepEqual(await find({ text: { kind: 'part', text: 'onlyhere7' } }), []);
    const told = JSON.stringify(await store().events.read(0, { types: ['message.'] }));
    assert.ok(!told.includes('onlyhere'));
    assert.equal(await store().sources.remove('irc'), 0);
  });

  test('messages recorded while a source is removed are deleted, too', async () => {
    await say(...Array.from({ length: 600 }, (_, n) => message(`m${n}`, { at: START + n })));
    let late: Promise<unknown> | undefined;

    const gone = await store().sources.remove('irc', () => {
      late ??= say(message('late', { text: 'too late', at: START - 1 }));
    });

    await late;
    assert.equal(gone, 601);
    assert.deepEqual(await find(), []);
    assert.deepEqual(await store().sources.withData(), []);
  });

  test('a source that is no longer listed keeps its messages', async () => {
    await say(message('a'));
    await store().sources.add({ id: 'irc', kind: 'irc', name: 'IRC', settings: {}, createdAt: START });

    await store().sources.unlist('irc');

    assert.deepEqual(await store().sources.list(), []);
    assert.deepEqual(await store().sources.withData(), ['irc']);
  });

  test('messages before a timestamp are deleted exactly, and removed from the search index', async () => {
    await say(...[0, 1, 2, 3].map((n) => message(`m${n}`, { at: START + n, text: `word${n}` })));
    await record(said([message('x', { at: START - 1_000, text: 'stays' })]), { source: 'xmpp' });

    const gone = await store().messages.forgetBefore('irc', START + 2);

    assert.equal(gone, 2);
    assert.deepEqual(await find(), ['word3', 'word2', 'stays']);
    assert.deepEqual(await find({ text: { kind: 'part', text: 'ord' } }), ['word3', 'word2']);
    const [ops] = await keysOf(store(), '#ops');
    assert.deepEqual(await store().messages.participants(ops, 10), [{ id: 'ada', name: 'Ada', messages: 2 }]);
    assert.deepEqual(await store().messages.extent('irc'), { count: 2, oldest: START + 2, newest: START + 3 });
    const told = JSON.stringify(await store().events.read(0));
    assert.deepEqual(
      ['word0', 'word1', 'word2', 'stays'].map((word) => told.includes(word)),
      [false, false, true, true],
    );
    assert.equal(await store().messages.forgetBefore('nowhere', START), 0);
  });

  test('a text that was deleted and is recorded again is found', async () => {
    await say(message('a', { text: 'pineapple' }));
    await store().messages.forgetBefore('irc', START * 2);
    await say(message('b', { text: 'pineapple' }));

    assert.deepEqual(await find({ text: { kind: 'part', text: 'neapp' } }), ['pineapple']);
    assert.deepEqual(await find({ text: { kind: 'words', text: 'pineapple' } }), ['pineapple']);
  });
}
