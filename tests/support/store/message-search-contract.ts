import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysOf, lastId, message, messageHands, START, said, textOf, texts } from './message-samples.ts';
import type { Store } from './open-store.ts';

/** The searches that every database must support. */
export function messageSearchContract(store: () => Store): void {
  const { record, say, find } = messageHands(store);

  test('CHAT-13 newest first, page by page, unaffected by new messages', async () => {
    await say(...'abcde'.split('').map((id) => message(id)));

    const first = await store().messages.find({}, { limit: 2 });
    await say(message('f'));
    const second = await store().messages.find({}, { limit: 2, beforeId: lastId(first.messages) });
    const third = await store().messages.find({}, { limit: 2, beforeId: lastId(second.messages) });

    assert.deepEqual(
      [first, second, third].map(({ messages }) => texts(messages)),
      [['text of e', 'text of d'], ['text of c', 'text of b'], ['text of a']],
    );
    assert.deepEqual(
      [first, second, third].map(({ hasMore }) => hasMore),
      [true, true, false],
    );
    assert.deepEqual(await find({}, { limit: 2, offset: 3 }), ['text of c', 'text of b']);
    assert.deepEqual(await find({}, { afterId: lastId(second.messages), limit: 10 }), ['f', 'e', 'd', 'c'].map(textOf));
  });

  test('CHAT-10 by time: since is inclusive, before is exclusive', async () => {
    await say(...[0, 1, 2, 3].map((n) => message(`m${n}`, { at: START + n, text: `t${n}` })));

    assert.deepEqual(await find({ since: START + 1, before: START + 3 }), ['t2', 't1']);
    assert.deepEqual(await find({ since: START + 3 }), ['t3']);
    assert.deepEqual(await find({ before: START }), []);
    assert.deepEqual(await find({ since: START + 1, text: { kind: 'words', text: 't1' } }), ['t1']);
  });

  test('CHAT-11 by sender: the exact id, or a part of the name', async () => {
    const [ada, zoe] = [
      { id: 'u1', name: 'Ada Lovelace' },
      { id: 'u2', name: 'Zoë Ödegård' },
    ];
    await say(
      message('a', { sender: ada }),
      message('b', { sender: zoe }),
      message('c', { sender: { id: 'u10', name: 'X' } }),
    );

    assert.deepEqual(await find({ sender: 'u1' }), ['text of a']);
    assert.deepEqual(await find({ sender: 'lovel' }), ['text of a']);
    assert.deepEqual(await find({ sender: 'ZOE' }), ['text of b']);
    assert.deepEqual(await find({ sender: 'odegard', text: { kind: 'words', text: 'b' } }), ['text of b']);
    assert.deepEqual(await find({ sender: 'nobody' }), []);
  });

  test('by participant: exactly this sender, or a chat of exactly this name', async () => {
    await say(
      message('a', { sender: { id: 'ann', name: 'Ann' } }),
      message('b', { sender: { id: 'anna', name: 'ann' } }),
      message('c', { chat: { id: 'box', name: 'ann' } }),
      message('d', { chat: { id: 'ann', name: 'annabel' } }),
    );

    assert.deepEqual(await find({ involving: 'ann' }), ['c', 'a'].map(textOf));
    assert.deepEqual(await find({ involving: 'ann', sources: ['irc', 'xmpp'] }), ['c', 'a'].map(textOf));
    assert.deepEqual(await find({ involving: 'ann', text: { kind: 'words', text: 'a' } }), ['text of a']);
    assert.deepEqual(await find({ involving: 'nobody' }), []);
  });

  test('by prefixes of words, all of which must match', async () => {
    await say(message('a', { text: 'The Déploiement failed.' }), message('b', { text: 'deploy works' }));
    const beginning = (text: string) => find({ text: { kind: 'prefixes', text } });

    assert.deepEqual(await beginning('deplo'), ['deploy works', 'The Déploiement failed.']);
    assert.deepEqual(await beginning('DEPLOI fail'), ['The Déploiement failed.']);
    assert.deepEqual(await beginning('ploy'), []);
    assert.deepEqual(await beginning('?!'), []);
  });

  test('by ids of the network, only in these chats, oldest first', async () => {
    await say(message('a'), message('b'), message('b', { chat: { id: '#other' }, text: 'other b' }), message('c'));
    const [ops, other] = await keysOf(store(), '#ops', '#other');
    const found = async (chats: number[], ids: string[]) => texts(await store().messages.byExternalIds(chats, ids));

    assert.deepEqual(await found([ops], ['c', 'b', 'none']), ['b', 'c'].map(textOf));
    assert.deepEqual(await found([ops, other], ['b']), ['text of b', 'other b']);
    assert.deepEqual(await found([], ['b']), []);
  });

  test('the chats of a source that have messages with these ids of the network', async () => {
    await say(message('a'), message('b', { chat: { id: '#other' } }), message('b', { chat: { id: '#third' } }));
    await record(said([message('a')]), { source: 'xmpp' });

    assert.deepEqual(await store().sources.find('irc', ['b', 'a', 'none']), [
      { chat: '#ops', message: 'a' },
      { chat: '#other', message: 'b' },
      { chat: '#third', message: 'b' },
    ]);
    assert.deepEqual(await store().sources.find('nowhere', ['a']), []);
  });

  test('CHAT-14 by source, chat and kind of content, in any combination', async () => {
    await say(
      message('a', { contentType: 'image' }),
      message('b', { chat: { id: '#other' } }),
      message('c', { chat: { id: '#third' } }),
    );
    await record(said([message('d')]), { source: 'xmpp' });
    const [ops, other] = await keysOf(store(), '#ops', '#other');

    assert.deepEqual(await find({ sources: ['irc'] }), ['c', 'b', 'a'].map(textOf));
    assert.deepEqual(await find({ sources: ['xmpp', 'nowhere'] }), ['text of d']);
    assert.deepEqual(await find({ sources: ['nowhere'] }), []);
    assert.deepEqual(await find({ chats: [ops, other] }), ['b', 'a'].map(textOf));
    assert.deepEqual(await find({ chats: [ops], sources: ['xmpp'] }), []);
    assert.deepEqual(await find({ chats: [] }), []);
    assert.deepEqual(await find({ contentTypes: ['image'] }), ['text of a']);
    assert.deepEqual(await find({ contentTypes: [] }), []);
    assert.deepEqual(
      await find({
        sources: ['irc'],
        chats: [ops],
        contentTypes: ['image', 'text'],
        sender: 'ada',
        since: START,
        before: START + 1_000_000,
        text: { kind: 'words', text: 'TEXT a' },
      }),
      ['text of a'],
    );
  });

  test('CHAT-12 all whole words, ignoring case and accents', async () => {
    await say(
      message('a', { text: 'Das Déploiement ist fehlgeschlagen.' }),
      message('b', { text: 'deploiement works' }),
      message('c', { text: 'И снова ёлка', attachments: [{ type: 'file', name: 'Rechnung_März.pdf' }] }),
      message('d', { text: 'write to ada@example.com' }),
    );
    const words = (text: string) => find({ text: { kind: 'words', text } });

    assert.deepEqual((await words('DEPLOIEMENT')).length, 2);
    assert.deepEqual((await words('ist déploiement')).length, 1);
    assert.deepEqual((await words('deploi')).length, 0);
    assert.deepEqual((await words('СНОВА елка')).length, 1);
    assert.deepEqual((await words('marz.pdf')).length, 1);
    assert.deepEqual((await words('ada@example.com')).length, 1);
    assert.deepEqual((await words('example@ada.com')).length, 0);
  });

  test('CHAT-12 in any script, down to one character, and emoji', async () => {
    await say(
      message('a', { text: '今日は東京タワーに行きました' }),
      message('b', { text: 'สวัสดีครับ' }),
      message('c', { text: '한국어를 배워요' }),
      message('d', { text: 'lunch? 🍕👍🏽' }),
      message('e', { text: 'हिन्दी में' }),
    );
    for (const kind of ['words', 'part'] as const) {
      const count = async (text: string) => (await find({ text: { kind, text } })).length;

      for (const wanted of ['東京', '京', 'タワー', 'สวัสดี', '한국어', '🍕', '👍', 'हिन्दी', '🍕👍']) {
        assert.equal(await count(wanted), 1, wanted);
      }
      for (const absent of ['京東', 'か', '中', '🍔']) assert.equal(await count(absent), 0, absent);
    }
  });

  test('CHAT-12 substrings, within words and across them', async () => {
    await say(
      message('a', { text: 'We use Node.js v24 and C++' }),
      message('b', { text: 'Straße nach Überlingen', attachments: [{ type: 'file', name: 'foto-2026.jpeg' }] }),
      message('c', { text: 'really?! 100%' }),
    );
    const part = (text: string) => find({ text: { kind: 'part', text } });

    assert.equal((await part('ode.js V2')).length, 1);
    assert.equal((await part('c++')).length, 1);
    assert.equal((await part('UBERLING')).length, 1);
    assert.equal((await part('raß')).length, 1);
    assert.equal((await part('to-2026.jp')).length, 1);
    assert.equal((await part('?!')).length, 1);
    assert.equal((await part('0%')).length, 1);
    assert.equal((await part('js  v24')).length, 1);
    assert.equal((await part('jsv')).length, 0);
    assert.equal((await find({ text: { kind: 'words', text: '?!' } })).length, 1);
  });

  test('CHAT-12 search operators are treated as text', async () => {
    await say(message('a', { text: 'a OR "b" NEAR(c) * words:x -y _o1 100% a_b' }));
    const hostile = ['"', '"b"', 'NEAR(c)', '*', 'words:x', '-y', 'OR', '_o1', 'o1', 'a"b', '%', '_', "'", '\\', '\0'];

    for (const kind of ['words', 'part'] as const) {
      for (const text of hostile) await find({ text: { kind, text } });
      assert.equal((await find({ text: { kind, text: 'zzz' } })).length, 0);
      assert.equal((await find({ text: { kind, text: 'NEAR(c)' } })).length, 1);
    }
    assert.equal((await find({ text: { kind: 'words', text: 'OR zzz' } })).length, 0);
    assert.equal((await find({ text: { kind: 'part', text: 'a%b' } })).length, 0);
  });

  test('by hundreds of chats or senders', async () => {
    const many = Array.from({ length: 700 }, (_, n) =>
      message(`m${n}`, {
        chat: { id: `#c${n}` },
        sender: { id: `u${n}`, name: `Same ${n}` },
        text: `t${n}`,
        at: START + n,
      }),
    );
    await record(said(many.slice(0, 400)));
    await record(said(many.slice(400)));
    await say(message('x', { chat: { id: '#other' }, text: 't5 elsewhere', at: START + 1_000 }));
    const { chats } = await store().chats.list('irc', {}, { limit: 1_000 });
    const keys = chats.filter(({ id }) => id !== '#other').map(({ key }) => key);

    assert.equal((await find({ chats: keys }, { limit: 1_000 })).length, 700);
    assert.deepEqual(await find({ chats: keys, text: { kind: 'words', text: 't5' } }), ['t5']);
    assert.deepEqual(await find({ chats: keys, sources: ['irc'], text: { kind: 'part', text: 't699' } }), ['t699']);
    assert.equal((await find({ sender: 'same' }, { limit: 1_000 })).length, 700);
    assert.deepEqual(await find({ sender: 'same', chats: keys, since: START + 3, before: START + 5 }), ['t4', 't3']);
  });
}
