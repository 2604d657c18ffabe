import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { NS } from '../../src/connectors/xmpp/namespaces.ts';
import { xml } from '../../src/connectors/xmpp/xml.ts';
import { notSent } from '../support/connectors/outcomes.ts';
import { type Prosody, ROOMS, startProsody } from '../support/xmpp/prosody.ts';
import { xmppSource } from '../support/xmpp/xmpp-source.ts';
import { type XmppUser, xmppUser } from '../support/xmpp/xmpp-user.ts';

const ADMIN = 'http://jabber.org/protocol/muc#admin';
const body = (text: string) => xml('body', {}, text);

describe('rooms on Prosody', () => {
  let server: Prosody;
  let bob: XmppUser;
  before(async () => {
    server = await startProsody({ users: ['alice', 'bob', 'carol'] });
    bob = await xmppUser(server.port, 'bob');
  });
  after(async () => {
    await bob?.close();
    await server?.stop();
  });

  let made = 0;
  async function roomOfBob(): Promise<string> {
    const room = `room${++made}@${ROOMS}`;
    await bob.join(room, 'bob');
    return room;
  }

  async function connected(context: TestContext, options: { rooms: string[]; nick?: string; limits?: object }) {
    const source = xmppSource(context, { port: server.port, ...options });
    await source.connected();
    return source;
  }

  /** Bob waits until this occupant has joined the room, for the nth time. */
  async function present(room: string, nick: string, times = 1): Promise<void> {
    let seen = 0;
    await bob.stanza(
      `${nick} in ${room}, time ${times}`,
      ({ name, attrs }) =>
        name === 'presence' && attrs.type === undefined && attrs.from === `${room}/${nick}` && ++seen >= times,
    );
  }

  test('CHAT-06 a room has its name, its number of occupants, and its own timeline', async (context) => {
    const room = await roomOfBob();

    const source = await connected(context, { rooms: [room] });

    const { name, type, participantCount } = source.chat(room);
    assert.deepEqual([name, type, participantCount], [`room${made}`, 'group', 2]);
    assert.deepEqual(source.timelines, [{ id: 'account' }, { id: `room:${room}`, chat: room }]);
  });

  test('a nickname in use is varied, and our messages there are still our own', async (context) => {
    const room = await roomOfBob();

    const source = await connected(context, { rooms: [room], nick: 'bob' });
    await source.connection.send?.({ id: 'nick-1', chat: room, text: 'two bobs' });

    const message = await source.message('two bobs');
    assert.deepEqual([message.sender.name, message.isOwn], ['bob_', true]);
  });

  test('after a kick it rejoins the room, and receives later messages', async (context) => {
    const room = await roomOfBob();
    const source = await connected(context, { rooms: [room], limits: { rejoinMs: 500 } });

    await bob.stream.request('set', xml('query', ADMIN, xml('item', { nick: 'alice', role: 'none' })), { to: room });
    await source.until('the kick is noticed', () => source.warnings.includes('we were taken out of a room'));
    const problems = source.connection.problems?.();
    await present(room, 'alice', 2);
    await bob.write(room, 'groupchat', body('welcome back'));

    await source.message('welcome back');
    assert.deepEqual(problems, [`${room} was not joined: this user was removed from the room.`]);
    assert.deepEqual(source.connection.problems?.(), []);
  });

  test('after a kick it fetches the messages it missed', async (context) => {
    const room = await roomOfBob();
    const source = await connected(context, { rooms: [room], limits: { rejoinMs: 500 } });
    await bob.write(room, 'groupchat', body('before'));
    await source.message('before');

    await bob.stream.request('set', xml('query', ADMIN, xml('item', { nick: 'alice', role: 'none' })), { to: room });
    for (let index = 0; index < 60; index++) await bob.write(room, 'groupchat', body(`behind your back ${index}`));
    await present(room, 'alice', 2);

    await source.message('behind your back 59');
    const ids = source
      .messages()
      .filter(({ text }) => text.startsWith('behind'))
      .map(({ id }) => id);
    assert.equal(new Set(ids).size, 60);
  });

  test('a destroyed room is joined again, as a new one', async (context) => {
    const room = await roomOfBob();
    const source = await connected(context, { rooms: [room] });

    await bob.stream.request('set', xml('query', NS.mucOwner, xml('destroy')), { to: room });
    await source.until('the room is entered again', () => {
      const joins = source.events.filter((event) => event.kind === 'chat' && event.chat.id === room);
      return joins.length === 2;
    });
    await source.connection.send?.({ id: 'again-1', chat: room, text: 'anybody here?' });

    assert.equal((await source.message('anybody here?')).isOwn, true);
  });

  test('a room that refuses us is logged, and the others are joined', async (context) => {
    const [closed, open] = [await roomOfBob(), await roomOfBob()];
    const ban = xml('item', { jid: 'alice@localhost', affiliation: 'outcast' });
    await bob.stream.request('set', xml('query', ADMIN, ban), { to: closed });

    const source = await connected(context, { rooms: [closed, open] });

    await bob.write(open, 'groupchat', body('you are in'));
    await source.message('you are in');
    assert.ok(source.warnings.includes('a room could not be joined'));
    const outcome = await source.connection.send?.({ id: 'closed-1', chat: closed, text: 'x' });
    assert.equal(notSent(outcome).retry, true);
  });

  test('an occupant who changes the nickname is still the same sender', async (context) => {
    const room = await roomOfBob();
    const source = await connected(context, { rooms: [room] });
    await bob.write(room, 'groupchat', body('as bob'));

    await bob.join(room, 'robert');
    await bob.write(room, 'groupchat', body('as robert'));

    const [first, second] = [await source.message('as bob'), await source.message('as robert')];
    assert.deepEqual([first.sender.name, second.sender.name], ['bob', 'robert']);
    assert.equal(first.sender.id, second.sender.id);
  });

  test('a subject is reported when it is set, and not again on joining later', async (context) => {
    const room = await roomOfBob();
    const first = await connected(context, { rooms: [room] });

    await bob.write(room, 'groupchat', xml('subject', {}, 'Plans'));
    await bob.write(room, 'groupchat', body('after the subject'));
    await first.message('after the subject');
    const subject = await first.message('Subject: Plans');
    const second = await connected(context, { rooms: [room], nick: 'alice2' });
    await bob.write(room, 'groupchat', body('after entering'));
    await second.message('after entering');

    const live = second.messages().map(({ text }) => text);
    assert.deepEqual(live, ['after entering']);
    assert.deepEqual([subject.contentType, subject.sender.name], ['system', 'bob']);
    assert.equal(first.messages().filter(({ text }) => text.startsWith('Subject')).length, 1);
  });

  test('a private message of an occupant is in a separate chat, and can be answered', async (context) => {
    const room = await roomOfBob();
    const source = await connected(context, { rooms: [room] });
    await bob.write(`${room}/alice`, 'chat', body('psst'));
    const { chat } = await source.message('psst');

    await source.connection.send?.({ id: 'pm-1', chat: chat.id, text: 'yes?' });

    await bob.stanza(
      'the answer',
      (each) => each.attrs.from === `${room}/alice` && each.getChildText('body') === 'yes?',
    );
    assert.deepEqual([chat.id, chat.type], [`${room}/bob`, 'direct']);
    assert.deepEqual((await source.message('yes?')).chat.id, chat.id);
  });

  test('whether a message was sent to a room is looked up in its archive', async (context) => {
    const room = await roomOfBob();
    const source = await connected(context, { rooms: [room] });
    const sent = await source.connection.send?.({ id: 'room-1', chat: room, text: 'sure' });

    const found = await source.connection.wasSent?.({ id: 'room-1', chat: room, text: 'sure' });
    const missing = await source.connection.wasSent?.({ id: 'room-2', chat: room, text: 'sure' });

    assert.deepEqual([found, missing], [sent, { kind: 'absent' }]);
  });

  test('a message of another occupant with our id does not confirm ours', async (context) => {
    const room = await roomOfBob();
    bob.stream.send(xml('message', { to: room, type: 'groupchat', id: 'claimed' }, body('not yours')));
    await bob.settled();
    const source = await connected(context, { rooms: [room] });

    const found = await source.connection.wasSent?.({ id: 'claimed', chat: room, text: 'x' });

    assert.equal(found?.kind, 'absent');
  });

  test('a new room that we create is open to other users', async (context) => {
    const room = `ours@${ROOMS}`;
    const source = await connected(context, { rooms: [room] });

    await bob.join(room, 'bob');
    await bob.write(room, 'groupchat', body('nice room'));

    await source.message('nice room');
  });
});

describe('rooms on a server without an archive', () => {
  test('the recent messages shown on joining are stored once', async (context) => {
    const server = await startProsody({ users: ['alice', 'bob'], archive: false });
    context.after(() => server.stop());
    const bob = await xmppUser(server.port, 'bob');
    context.after(() => bob.close());
    const room = `room@${ROOMS}`;
    await bob.join(room, 'bob');
    const first = xmppSource(context, { port: server.port, rooms: [room] });
    await first.connected();
    await bob.write(room, 'groupchat', body('hello'));
    const live = await first.message('hello');
    await first.stop();

    const second = xmppSource(context, { port: server.port, rooms: [room] });

    assert.equal((await second.message('hello')).id, live.id);
    await second.connected();
    assert.deepEqual(second.timelines, []);
  });
});
