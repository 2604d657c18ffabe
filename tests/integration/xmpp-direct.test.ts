import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { NS } from '../../src/connectors/xmpp/namespaces.ts';
import { xml } from '../../src/connectors/xmpp/xml.ts';
import { breakableProxy } from '../support/connectors/breakable-proxy.ts';
import { notSent, pageIn, sentAs } from '../support/connectors/outcomes.ts';
import { DOMAIN, type Prosody, startProsody } from '../support/xmpp/prosody.ts';
import { xmppSource } from '../support/xmpp/xmpp-source.ts';
import { type XmppUser, xmppUser } from '../support/xmpp/xmpp-user.ts';

const ALICE = `alice@${DOMAIN}`;
const BOB = `bob@${DOMAIN}`;
const body = (text: string) => xml('body', {}, text);

describe('direct messages on Prosody', () => {
  let server: Prosody;
  let bob: XmppUser;
  let phone: XmppUser;
  before(async () => {
    server = await startProsody({ users: ['alice', 'bob', 'carol'] });
    bob = await xmppUser(server.port, 'bob');
    phone = await xmppUser(server.port, 'alice', { resource: 'phone' });
  });
  after(async () => {
    await Promise.all([bob?.close(), phone?.close()]);
    await server?.stop();
  });

  async function connected(context: TestContext, options = {}) {
    const source = xmppSource(context, { port: server.port, ...options });
    await source.connected();
    return source;
  }

  test('a message sent from another device of the user is stored as their own, with the id of the archive', async (context) => {
    const source = await connected(context);

    const name = await phone.write(BOB, 'chat', body('from my phone'));

    const message = await source.message('from my phone');
    assert.deepEqual([message.chat.id, message.isOwn, message.sender.id], [BOB, true, ALICE]);
    assert.equal(message.id, await phone.keptId(BOB, name));
  });

  test('a message sent only to another device is stored, too', async (context) => {
    const source = await connected(context);

    await bob.write(`${ALICE}/phone`, 'chat', body('to your phone'));

    assert.equal((await source.message('to your phone')).isOwn, false);
  });

  test('changes of messages from before, missed among more than a page of others, refer to them', async (context) => {
    const carol = await xmppUser(server.port, 'carol');
    context.after(() => carol.close());
    const first = await connected(context);
    const names: string[] = [];
    for (const text of ['a tpyo', 'a mistake', 'good news']) names.push(await bob.write(ALICE, 'chat', body(text)));
    const ids = [];
    for (const text of ['a tpyo', 'a mistake', 'good news']) ids.push((await first.message(text)).id);
    const cursor = first.positions.at(-1)?.cursor ?? '';
    await first.stop();
    const [edited = '', deleted = '', liked = ''] = names;
    const store = () => xml('store', NS.hints);

    for (const user of [bob, carol]) {
      await Promise.all(Array.from({ length: 300 }, (_, index) => user.write(ALICE, 'chat', body(`crowd ${index}`))));
    }
    await bob.write(ALICE, 'chat', body('unrelated'), xml('replace', { xmlns: NS.correct, id: 'never-written' }));
    await bob.write(ALICE, 'chat', body('a typo'), xml('replace', { xmlns: NS.correct, id: edited }));
    await bob.write(ALICE, 'chat', xml('retract', { xmlns: NS.retract, id: deleted }), store());
    const reaction = xml('reaction', {}, '👍');
    await bob.write(ALICE, 'chat', xml('reactions', { xmlns: NS.reactions, id: liked }, reaction), store());
    await bob.write(ALICE, 'chat', body('thanks'), xml('reply', { xmlns: NS.reply, id: liked }));
    const next = await connected(context);
    const changes: unknown[] = [];
    for (let from = cursor, end = false; !end; ) {
      const request = { timeline: 'account', direction: 'newer', from, limit: 100 } as const;
      const page = pageIn(await next.connection.history?.({ ...request, signal: AbortSignal.timeout(60_000) }));
      for (const event of page.events) {
        if (event.kind === 'chat') continue;
        if (event.kind !== 'message') changes.push([event.kind, event.message]);
        else if (event.message.text === 'thanks') changes.push(['reply', event.message.replyTo]);
      }
      end = page.end;
      from = page.newest ?? from;
    }

    assert.deepEqual(changes, [
      ['edit', ids[0]],
      ['delete', ids[1]],
      ['reactions', ids[2]],
      ['reply', ids[2]],
    ]);
  });

  test('a live message and its archived copy are one message', async (context) => {
    const source = await connected(context);

    await bob.write(ALICE, 'chat', body('once'));
    await source.connection.send?.({ id: 'mine-1', chat: BOB, text: 'mine, once' });

    const [theirs, ours] = [await source.message('once'), await source.message('mine, once')];
    const page = pageIn(await source.page('account'));
    const kept = page.events.flatMap((event) => (event.kind === 'message' ? [event.message] : []));
    assert.equal(kept.find(({ text }) => text === 'once')?.id, theirs.id);
    assert.equal(kept.find(({ text }) => text === 'mine, once')?.id, ours.id);
  });

  test('corrections, reactions and retractions refer to the original message, even by the id of a correction', async (context) => {
    const source = await connected(context);
    const first = await bob.write(ALICE, 'chat', body('frist'));
    const { id } = await source.message('frist');

    const second = await bob.write(ALICE, 'chat', body('first'), xml('replace', { xmlns: NS.correct, id: first }));
    await bob.write(ALICE, 'chat', reaction(first, '👍'), xml('store', NS.hints));
    await bob.write(ALICE, 'chat', xml('retract', { xmlns: NS.retract, id: second }), xml('store', NS.hints));

    const [edit, reactions, deletion] = [
      await source.event('edit'),
      await source.event('reactions'),
      await source.event('delete'),
    ];
    assert.deepEqual([edit.message, edit.text, edit.sender], [id, 'first', BOB]);
    assert.deepEqual([reactions.message, reactions.signs], [id, ['👍']]);
    assert.deepEqual([deletion.message, deletion.sender], [id, BOB]);
  });

  test('after a restart, a reaction to an earlier message finds it', async (context) => {
    const name = await bob.write(ALICE, 'chat', body('before the restart'));
    for (let index = 0; index < 60; index++) await bob.write(ALICE, 'chat', body(`later ${index}`));
    const source = await connected(context);

    await bob.write(ALICE, 'chat', reaction(name, '🐢'), xml('store', NS.hints));

    const reactions = await source.event('reactions');
    assert.equal(reactions.message, await phone.keptId(BOB, name));
  });

  test('a correction in a page of history refers to a message on an older page', async (context) => {
    const name = await bob.write(ALICE, 'chat', body('far back'));
    for (let index = 0; index < 5; index++) await bob.write(ALICE, 'chat', body(`between ${index}`));
    await bob.write(ALICE, 'chat', body('far back, corrected'), xml('replace', { xmlns: NS.correct, id: name }));
    const source = await connected(context);

    const page = pageIn(await source.page('account', undefined, 2));

    const edit = page.events.find((event) => event.kind === 'edit');
    assert.equal(edit?.message, await phone.keptId(BOB, name));
  });

  test('a cursor that the archive does not contain is reported as lost', async (context) => {
    const source = await connected(context);

    assert.equal((await source.page('account', '1:never-was'))?.kind, 'cursor-lost');
  });

  test('our reply names the id that the sender gave the message', async (context) => {
    const source = await connected(context);
    const name = await bob.write(ALICE, 'chat', body('a question'));
    const { id } = await source.message('a question');

    await source.connection.send?.({ id: 'answer-1', chat: BOB, text: 'an answer', replyTo: id });

    const answer = await bob.stanza('the answer', (each) => each.getChildText('body') === 'an answer');
    assert.equal(answer.getChild('reply', NS.reply)?.attrs.id, name);
    assert.equal((await source.message('an answer')).replyTo, id);
  });

  test('our reply to a message from before the start names the id of its sender, too', async (context) => {
    const name = await bob.write(ALICE, 'chat', body('an old question'));
    const id = await phone.keptId(BOB, name);
    const source = await connected(context);

    await source.connection.send?.({ id: 'answer-2', chat: BOB, text: 'a late answer', replyTo: id });

    const answer = await bob.stanza('the answer', (each) => each.getChildText('body') === 'a late answer');
    assert.equal(answer.getChild('reply', NS.reply)?.attrs.id, name);
  });

  test('a bounced message is reported as not sent, and the chat gets a note with our own text', async (context) => {
    const source = await connected(context);

    const sending = source.connection.send?.({ id: 'lost-1', chat: `nobody@${DOMAIN}`, text: 'hello?' });

    notSent(await sending);
    const note = await source.message('A message could not be delivered: nobody takes messages at this address.');
    assert.deepEqual([note.chat.id, note.contentType], [`nobody@${DOMAIN}`, 'system']);
  });

  test('an error for a sent message is accepted only from its recipient', async (context) => {
    const source = await connected(context);
    const forged = xml('error', { type: 'cancel' }, xml('item-not-found', NS.stanzaErrors));
    const sending = source.connection.send?.({ id: 'claimed-1', chat: `carol@${DOMAIN}`, text: 'for carol' });

    bob.stream.send(xml('message', { to: ALICE, type: 'error', id: 'claimed-1' }, forged));
    await bob.settled();

    assert.notEqual(sentAs(await sending).id, undefined);
  });

  test('a message that exceeds the limit of the server is not sent, and not repeated', async (context) => {
    const one = await connected(context);

    const outcome = notSent(await one.connection.send?.({ id: 'long', chat: BOB, text: 'x'.repeat(500_000) }));

    assert.deepEqual([outcome.reason, outcome.retry], ['The message is too long for the server.', false]);
  });

  test('an empty address is refused before anything is sent', async (context) => {
    const source = await connected(context);

    notSent(await source.connection.send?.({ id: 'x', chat: '', text: 'x' }));
  });

  test('characters that are not allowed in XML are replaced', async (context) => {
    const source = await connected(context);

    await source.connection.send?.({ id: 'odd-1', chat: BOB, text: 'a\u0000b\ud800c' });

    await bob.stanza('the text', (each) => each.getChildText('body') === 'a\ufffdb\ufffdc');
  });

  test('whether a message was sent is looked up in the archive', async (context) => {
    const source = await connected(context);
    const sent = await source.connection.send?.({ id: 'sure-1', chat: BOB, text: 'sure' });

    const found = await source.connection.wasSent?.({ id: 'sure-1', chat: BOB, text: 'sure' });
    const missing = await source.connection.wasSent?.({ id: 'sure-2', chat: BOB, text: 'sure' });

    assert.deepEqual([found, missing], [sent, { kind: 'absent' }]);
  });

  test('a new roster name is used from then on for the contact and the chat', async (context) => {
    const source = await connected(context);

    const item = xml('item', { jid: `carol@${DOMAIN}`, name: 'Aunt Carol' });
    await phone.stream.request('set', xml('query', NS.roster, item));
    await source.event('chat', ({ chat }) => chat.name === 'Aunt Carol');
    const carol = await xmppUser(server.port, 'carol');
    await carol.write(ALICE, 'chat', body('it is me'));

    const { sender, chat } = await source.message('it is me');
    await carol.close();
    assert.deepEqual([sender.name, chat.name], ['Aunt Carol', 'Aunt Carol']);
  });

  test('a silently lost connection is detected', async (context) => {
    const proxy = await breakableProxy(server.port);
    context.after(() => proxy.close());
    const source = await connected(context, { port: proxy.port, limits: { silenceMs: 200, answerMs: 5_000 } });

    proxy.silence();

    assert.match(String(await source.end()), /no longer answers/);
  });

  test('pending requests and messages fail when the connection ends', async (context) => {
    const proxy = await breakableProxy(server.port);
    context.after(() => proxy.close());
    const source = await connected(context, { port: proxy.port });
    proxy.silence();
    const asked = [
      source.connection.send?.({ id: 'void-1', chat: BOB, text: 'into the void' }),
      source.connection.wasSent?.({ id: 'void-1', chat: BOB, text: 'into the void' }),
      source.page('account'),
    ];

    proxy.cut();

    const results = await Promise.allSettled(asked);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
    await source.end();
    notSent(await source.connection.send?.({ id: 'x', chat: BOB, text: 'x' }));
  });
});

describe('direct messages on a server without an archive', () => {
  test('are sent and received live', async (context) => {
    const server = await startProsody({ users: ['alice', 'bob'], archive: false });
    context.after(() => server.stop());
    const bob = await xmppUser(server.port, 'bob');
    context.after(() => bob.close());
    const source = xmppSource(context, { port: server.port });
    await source.connected();
    const name = await bob.write(ALICE, 'chat', body('hi'));
    const { id } = await source.message('hi');

    await bob.write(ALICE, 'chat', body('hi!'), xml('replace', { xmlns: NS.correct, id: name }));
    const sent = await source.connection.send?.({ id: 'mine-1', chat: BOB, text: 'hello' });

    assert.equal((await source.event('edit')).message, id);
    assert.equal((await source.message('hello')).id, sentAs(sent).id);
    assert.deepEqual(source.timelines, []);
    const found = await source.connection.wasSent?.({ id: 'mine-1', chat: BOB, text: 'hello' });
    assert.equal(found?.kind, 'unknown');
  });
});

function reaction(id: string, sign: string) {
  return xml('reactions', { xmlns: NS.reactions, id }, xml('reaction', {}, sign));
}
