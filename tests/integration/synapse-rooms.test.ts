import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test';
import { openConnection } from '../../src/connectors/matrix/connection.ts';
import type { MatrixSettings } from '../../src/connectors/matrix/settings.ts';
import { notSent, sentAs } from '../support/connectors/outcomes.ts';
import { type RecordedRun, type RecordingOptions, runRecorded } from '../support/connectors/recording-host.ts';
import { matrixUser } from '../support/matrix/matrix-user.ts';
import { SERVER_NAME, type Synapse, startSynapse } from '../support/matrix/synapse.ts';
import { until } from '../support/mcp/shim-program.ts';

type User = Awaited<ReturnType<typeof matrixUser>>;

let server: Synapse;
let me: User;
let bob: User;
let runs: RecordedRun[] = [];

before(async () => {
  server = await startSynapse();
});
after(() => server?.stop());

beforeEach(async () => {
  await Promise.all(runs.map((run) => run.stop()));
  runs = [];
  me = await newUser('me');
  bob = await newUser('bob');
});
after(() => Promise.all(runs.map((run) => run.stop())));

async function newUser(name: string): Promise<User> {
  const unique = `${name}-${randomBytes(4).toString('hex')}`;
  await server.register(unique, { displayName: name });
  return matrixUser(server.url, unique);
}

async function connected(settings: Partial<MatrixSettings> = {}, options: RecordingOptions = {}): Promise<RecordedRun> {
  const given = { homeserver: server.url, access_token: me.token, rooms: [], ...settings };
  const run = runRecorded(openConnection, given, options);
  runs.push(run);
  await run.connected();
  return run;
}

describe('a message to a user', () => {
  test('creates a direct chat, which is the one for all further messages, also of later connections', async () => {
    const one = await connected();
    const send = (run: RecordedRun, id: string) =>
      run.connection.send?.({ id, chat: run.connection.addressOf?.(bob.id) ?? '', text: id });

    await Promise.all(['first', 'second'].map((id) => send(one, id)));
    await one.until(() => one.messages().length === 2);
    const [room = ''] = (await me.accountData<Record<string, string[]>>('m.direct'))[bob.id] ?? [];
    await one.until(() => one.chat(room).type === 'direct');
    await one.stop();
    const next = await connected();
    sentAs(await send(next, 'third'));

    assert.deepEqual(await me.joinedRooms(), [room]);
    assert.equal(one.chat(room).name, 'bob');
    assert.equal(next.connection.addressOf?.(bob.id), room);
    await bob.join(room);
    const { content } = await bob.found(room, ({ type }) => type === 'm.room.message');
    assert.equal(content.body, 'third');
  });

  test('uses the direct chat that another client has listed', async () => {
    const room = await bob.createRoom({ invite: [me.id], isDirect: true });
    await me.join(room);
    await me.setAccountData('m.direct', { [bob.id]: [room] });
    const one = await connected();

    sentAs(await one.connection.send?.({ id: '1', chat: bob.id, text: 'hello' }));

    assert.deepEqual(await me.joinedRooms(), [room]);
  });

  test('accepts the invitation of that user to a direct chat, and no other', async () => {
    const wanted = await bob.createRoom({ invite: [me.id], isDirect: true });
    await bob.createRoom({ invite: [me.id], name: 'A group' });
    const one = await connected();

    sentAs(await one.connection.send?.({ id: '1', chat: bob.id, text: 'hello' }));

    assert.deepEqual(await me.joinedRooms(), [wanted]);
    assert.deepEqual(await me.accountData('m.direct'), { [bob.id]: [wanted] });
  });

  test('creates no second chat if the first attempt ended without an answer', async () => {
    const room = await me.createRoom({ invite: [bob.id], isDirect: true, preset: 'trusted_private_chat' });
    const memory = new Map([[`direct chat ${bob.id}`, 'creating']]);
    const one = await connected({}, { memory });

    sentAs(await one.connection.send?.({ id: '1', chat: bob.id, text: 'hello' }));

    assert.deepEqual(await me.joinedRooms(), [room]);
    assert.deepEqual(await me.accountData('m.direct'), { [bob.id]: [room] });
  });

  test('is not sent to a user that does not exist, or to oneself', async () => {
    const one = await connected();

    const nobody = notSent(await one.connection.send?.({ id: '1', chat: `@nobody:${SERVER_NAME}`, text: 'x' }));
    const self = notSent(await one.connection.send?.({ id: '2', chat: me.id, text: 'x' }));

    assert.equal(nobody.reason, 'There is no such user.');
    assert.equal(self.reason, 'This is the user of the source.');
    assert.deepEqual(await me.joinedRooms(), []);
  });
});

describe('a message to a user of another server', () => {
  const stranger = '@someone:unreachable.invalid';

  test('that cannot be reached is not sent, and creates no room', async () => {
    const one = await connected();

    const outcome = notSent(await one.connection.send?.({ id: '1', chat: stranger, text: 'x' }));

    assert.equal(outcome.reason, 'The homeserver of this user cannot be reached.');
    assert.equal(outcome.retry, true);
    assert.deepEqual(await me.joinedRooms(), []);
  });

  test('that cannot be reached any more leaves no empty room behind', async (context) => {
    const own = await me.createRoom({ name: 'notes' });
    const homeserver = await withProfiles(context);
    const one = await connected({ homeserver });

    const outcome = notSent(await one.connection.send?.({ id: '1', chat: stranger, text: 'x' }));

    assert.equal(outcome.retry, true);
    assert.deepEqual(await me.joinedRooms(), [own]);
  });

  /** The homeserver remembers the profiles of all users. */
  async function withProfiles(context: TestContext): Promise<string> {
    const proxy = createServer((request, response) => {
      if (request.url?.includes('/profile/')) return void response.end('{}');
      const { method = '', headers, url: path = '' } = request;
      const asked = ask(`${server.url}${path}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(asked.on('error', () => response.destroy()));
      response.on('close', () => asked.destroy());
    });
    context.after(() => proxy.closeAllConnections());
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    context.after(() => proxy.close());
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }
});

describe('a room', () => {
  test('that the user was out of for a while: what was said meanwhile is stored', async () => {
    const room = await bob.createRoom({ preset: 'public_chat' });
    await me.join(room);
    const one = await connected();
    await bob.write(room, 'm.room.message', { msgtype: 'm.text', body: 'before' });
    await one.until(() => texts(one).includes('before'));

    await remove(room);
    await bob.write(room, 'm.room.message', { msgtype: 'm.text', body: 'meanwhile' });
    await me.join(room);
    await bob.write(room, 'm.room.message', { msgtype: 'm.text', body: 'after' });
    await one.until(() => texts(one).includes('after'));

    assert.deepEqual(texts(one), ['before', 'meanwhile', 'after']);
  });

  test('that the user was removed from while away: all that was said before is stored', async () => {
    const room = await bob.createRoom({ preset: 'public_chat' });
    await me.join(room);
    const memory = new Map<string, string>();
    const one = await connected({}, { memory });
    await one.stop();
    const wanted = Array.from({ length: 150 }, (_, number) => `missed ${number}`);
    for (const body of wanted) await bob.write(room, 'm.room.message', { msgtype: 'm.text', body });
    await remove(room);

    const next = await connected({}, { memory });

    assert.deepEqual(texts(next), wanted);
  });

  test('that the user was only invited to is no chat, also when the invitation was declined', async () => {
    const one = await connected();
    const room = await bob.createRoom({ name: 'words of a stranger', invite: [me.id] });
    await me.call('POST', `rooms/${encodeURIComponent(room)}/leave`, {});
    const other = await bob.createRoom({ name: 'Team', preset: 'public_chat' });
    await me.join(other);
    await one.until(() => one.timelines.some(({ id }) => id === other));

    assert.deepEqual(
      one.events.flatMap((event) => (event.kind === 'chat' ? [event.chat.id] : [])),
      [other],
    );
  });

  test('that was upgraded says so, and why nothing can be written', async () => {
    const room = await bob.createRoom({ preset: 'public_chat' });
    await me.join(room);
    const one = await connected();

    const { replacement_room: next } = await bob.call<{ replacement_room: string }>(
      'POST',
      `rooms/${encodeURIComponent(room)}/upgrade`,
      { new_version: '11' },
    );
    await one.until(() => texts(one).length > 0);
    const outcome = notSent(await one.connection.send?.({ id: '1', chat: room, text: 'x' }));

    assert.deepEqual(texts(one), [`The room was replaced by another one: ${next}.`]);
    assert.equal(outcome.reason, 'The room was replaced by another one, which takes the messages now.');
  });

  const remove = (room: string) =>
    bob.call('POST', `rooms/${encodeURIComponent(room)}/kick`, { user_id: me.id, reason: 'out' });
  const texts = (run: RecordedRun) => [...new Set(run.messages().map(({ text }) => text))];
});

describe('rooms of the settings', () => {
  test('that cannot be joined are reported with the reason, until they are', async () => {
    const alias = `closed-${randomBytes(4).toString('hex')}`;
    const closed = await bob.createRoom({ alias });
    const rooms = [`#${alias}:${SERVER_NAME}`, `#missing:${SERVER_NAME}`, 'no address'];
    const one = await connected({ rooms });
    const problems = () => one.connection.problems?.() ?? [];
    await until('all rooms were tried', () => one.warnings.length === rooms.length);

    const before = problems();
    await bob.call('POST', `rooms/${encodeURIComponent(closed)}/invite`, { user_id: me.id });
    await one.until(() => one.timelines.some(({ id }) => id === closed));

    assert.deepEqual(before, [
      `#${alias}:${SERVER_NAME} was not joined: the room is closed to this user, who needs an invitation or was banned.`,
      `#missing:${SERVER_NAME} was not joined: there is no such room.`,
      'no address was not joined: this is not the address of a room.',
    ]);
    assert.equal(problems().length, 2);
  });
});

describe('content without a form of ours', () => {
  test('is shown as what it is', async () => {
    const room = await bob.createRoom({ invite: [me.id] });
    await me.join(room);
    const one = await connected();
    const poll = {
      'org.matrix.msc3381.poll.start': {
        question: { 'org.matrix.msc1767.text': 'Lunch?' },
        answers: [{ id: '1', 'org.matrix.msc1767.text': 'Soup' }],
      },
    };

    await bob.write(room, 'org.matrix.msc3381.poll.start', poll);
    await bob.write(room, 'm.room.message', { msgtype: 'm.location', body: 'Here', geo_uri: 'geo:1,2' });
    await bob.write(room, 'm.sticker', { body: 'A cat', url: 'mxc://hs.test/cat', info: {} });
    await bob.write(room, 'm.call.invite', { call_id: 'c', version: '1', offer: { type: 'offer', sdp: '' } });
    await bob.write(room, 'm.room.encrypted', { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 'x' });
    await bob.write(room, 'm.room.message', { msgtype: 'org.example.hologram', body: 'A hologram' });
    await bob.write(room, 'org.example.gesture', { hand: 'left' });
    await one.until(() => one.messages().length === 7);

    assert.deepEqual(
      one.messages().map((message) => [message.contentType, message.text]),
      [
        ['text', 'Poll: Lunch?\n- Soup'],
        ['location', 'Here'],
        ['sticker', 'A cat'],
        ['system', 'Started a call.'],
        ['unknown', '[an encrypted message, which only your own Matrix client can read]'],
        ['unknown', 'A hologram'],
        ['unknown', '[an event of the kind org.example.gesture, which has no text]'],
      ],
    );
  });
});
