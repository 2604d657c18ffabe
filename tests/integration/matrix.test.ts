import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CursorLost, type HistoryRequest, NotSent, Rejected } from '../../src/connectors/connector.ts';
import { type MatrixSettings, matrix } from '../../src/connectors/matrix/index.ts';
import { type Homeserver, startHomeserver } from '../support/matrix-homeserver.ts';
import { type RecordedRun, type RecordingOptions, runRecorded } from '../support/recording-host.ts';

let server: Homeserver;
let me: string;
let alice: string;
let room: string;
let runs: RecordedRun[];

beforeEach(async () => {
  server = await startHomeserver();
  me = server.model.addUser('me', 'secret', 'Me Myself');
  alice = server.model.addUser('alice', 'hers', 'Alice');
  room = server.model.createRoom(alice, { name: 'Family', members: [me] });
  runs = [];
});

afterEach(async () => {
  await Promise.all(runs.map((one) => one.stop()));
  await server.close();
  assert.deepEqual(server.violations, []);
});

describe('signing in', () => {
  test('with an access token asks who it is of, and nothing else is kept', async () => {
    const memory = new Map<string, string>();

    await run({ memory }).connected();

    assert.ok(server.requests.some(({ path }) => path.endsWith('/account/whoami')));
    assert.deepEqual([...memory.keys()], [`since ${me}`]);
  });

  test('with a password uses the same device every time, and never keeps the token', async () => {
    const memory = new Map<string, string>();
    for (let times = 0; times < 3; times += 1) {
      const one = run({ memory }, byPassword());
      await one.connected();
      await one.stop();
    }

    assert.equal(new Set(server.devicesOf(me)).size, 1);
    assert.equal(JSON.stringify([...memory]).includes('token-'), false);
  });

  test('with a wrong password is rejected, and tried once', async () => {
    const outcome = await run({}, { ...byPassword(), password: 'wrong' }).ended;

    assert.ok(outcome instanceof Rejected);
    assert.equal(outcome.message.includes('words of the homeserver'), false);
    assert.equal(server.requests.length, 1);
  });

  test('with a token that is not good any more is rejected', async () => {
    const one = run();
    await one.connected();
    server.signOut(me);
    server.cut();
    const outcome = await one.ended;
    const again = await run({}, { homeserver: server.url, access_token: 'token-of-nobody' }).ended;

    assert.ok(outcome instanceof Error);
    assert.ok(again instanceof Rejected);
  });

  test('a token of a password that was called in is had anew', async () => {
    const memory = new Map<string, string>();
    const one = run({ memory }, byPassword());
    await one.connected();
    server.signOut(me, { soft: true });
    say('wakes the poll');

    const outcome = await one.ended;
    const next = run({ memory }, byPassword());
    await next.until(() => next.messages().some(({ text }) => text === 'wakes the poll'));

    assert.ok(outcome instanceof Error && !(outcome instanceof Rejected));
  });

  test('without a token or a password says what is missing', async () => {
    const outcome = await run({}, { homeserver: server.url, user: me }).ended;

    assert.ok(outcome instanceof Rejected);
    assert.match(outcome.message, /access token, or a user and a password/);
  });

  test('where there is no homeserver, or one that names another, sends nobody’s token there', async () => {
    server.fault({ path: /whoami/, answer: { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' } });
    const elsewhere = await run().ended;
    server.fault({ path: /whoami/, answer: { status: 404, body: '<html>nothing here</html>' } });
    const nowhere = await run().ended;

    assert.ok(elsewhere instanceof Rejected && /leads elsewhere/.test(elsewhere.message));
    assert.ok(nowhere instanceof Rejected && /no Matrix homeserver/.test(nowhere.message));
  });
});

describe('what happens', () => {
  test('what was said before is history, and what is said from then on is live', async () => {
    say('before');
    const one = await connected();

    say('hello');
    await one.until(() => one.messages().length === 1);

    const [message] = one.messages();
    assert.equal(message?.text, 'hello');
    assert.deepEqual(message?.sender, { id: alice, name: 'Alice' });
    assert.deepEqual(one.timelines, [{ id: room, chat: room }]);
    assert.deepEqual(one.chat(room), { id: room, type: 'group', name: 'Family', participantCount: 2 });
  });

  test('goes on where it ended, after what was told was stored', async () => {
    const memory = new Map<string, string>();
    const one = await connected({ memory });
    await one.stop();
    say('while away');
    let fails = 1;
    const beforeAccept = () => {
      if (fails-- > 0) throw new Error('the disk is full');
    };

    const broken = await run({ memory, beforeAccept }).ended;
    const next = await connected({ memory });
    await next.until(() => next.messages().length === 1);

    assert.match(String(broken), /the disk is full/);
    assert.deepEqual(texts(next), ['while away']);
  });

  test('more than comes at once is fetched, in order and with nothing lost', async () => {
    const one = await connected();
    const wanted = Array.from({ length: 450 }, (_, number) => `burst ${number}`);

    for (const text of wanted) say(text, 1_000);
    await one.until(() => texts(one).includes('burst 449'));

    assert.deepEqual([...new Set(texts(one))], wanted);
  });

  test('edits, redactions and reactions are told as what they are', async () => {
    const one = await connected();
    const id = say('helo');
    const content = (body: string) => ({
      msgtype: 'm.text',
      body: `* ${body}`,
      'm.new_content': { msgtype: 'm.text', body },
      'm.relates_to': { rel_type: 'm.replace', event_id: id },
    });
    const sign = { 'm.relates_to': { rel_type: 'm.annotation', event_id: id, key: '👍' } };

    append('m.room.message', content('hello'));
    const reaction = append('m.reaction', sign);
    server.model.append(room, { type: 'm.room.redaction', sender: alice, content: {}, redacts: reaction });
    server.model.append(room, { type: 'm.room.redaction', sender: alice, content: {}, redacts: id });
    await one.until(() => one.events.some(({ kind }) => kind === 'delete'));

    const kinds = one.events.filter(({ kind }) => kind !== 'chat' && kind !== 'message');
    assert.deepEqual(
      kinds.map((event) => [event.kind, 'message' in event && event.message, 'removed' in event && event.removed]),
      // All of it may have come in one answer, in which what was redacted is empty already.
      kinds.length === 2
        ? [
            ['delete', id, false],
            ['delete', id, false],
          ]
        : kinds.map((event) => [event.kind, 'message' in event && event.message, 'removed' in event && event.removed]),
    );
  });

  test('a reaction that was seen is taken back by its redaction', async () => {
    const one = await connected();
    const id = say('hello');
    const reaction = append('m.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id: id, key: '👍' } });
    await one.until(() => one.events.some(({ kind }) => kind === 'reaction'));

    server.model.append(room, { type: 'm.room.redaction', sender: alice, content: {}, redacts: reaction });
    await one.until(() => one.events.some((event) => event.kind === 'reaction' && event.removed === true));

    assert.equal(
      one.events.some(({ kind }) => kind === 'delete'),
      false,
    );
  });

  test('a conversation with one person is direct, also when that is said later', async () => {
    const direct = server.model.createRoom(alice, { members: [me] });
    const one = await connected();
    const before = one.chat(direct).type;

    server.model.setAccountData(me, 'm.direct', { [alice]: [direct] });
    await one.until(() => one.chat(direct).type === 'direct');

    assert.equal(before, 'group');
    assert.deepEqual(one.chat(direct), { id: direct, type: 'direct', name: 'Alice', participantCount: 2 });
  });

  test('a changed name of a room or of a person is used from then on', async () => {
    const one = await connected();
    say('as Alice');
    server.model.append(room, { type: 'm.room.name', state_key: '', sender: alice, content: { name: 'Clan' } });
    const content = { membership: 'join', displayname: 'Alicia' };
    server.model.append(room, { type: 'm.room.member', state_key: alice, sender: alice, content });

    say('as Alicia');
    await one.until(() => texts(one).includes('as Alicia'));

    assert.deepEqual(
      one.messages().map(({ sender }) => sender.name),
      ['Alice', 'Alicia'],
    );
    assert.equal(one.chat(room).name, 'Clan');
  });

  test('encrypted messages and spaces disturb nobody', async () => {
    server.model.createRoom(alice, { name: 'A folder', members: [me], content: { type: 'm.space' } });
    const one = await connected();

    append('m.room.encrypted', { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 'sealed' });
    await one.until(() => one.messages().length === 1);

    assert.equal(one.messages()[0]?.contentType, 'unknown');
    assert.match(texts(one)[0] ?? '', /encrypted/);
    assert.deepEqual(
      one.timelines.map(({ id }) => id),
      [room],
    );
  });
});

describe('rooms to join', () => {
  test('those of the settings are joined, and what is said there afterwards is told', async () => {
    const open = server.model.createRoom(alice, { name: 'Open', alias: '#open:hs.test' });
    server.model.append(open, said('before we came'));

    const one = await connected({}, { ...byToken(), rooms: ['#open:hs.test'] });
    await one.until(() => one.timelines.some(({ id }) => id === open));
    server.model.append(open, said('welcome'));
    await one.until(() => texts(one).includes('welcome'));

    assert.deepEqual(texts(one), ['welcome']);
  });

  test('an invitation is accepted only for those of the settings', async () => {
    const [wanted, unwanted] = [closedRoom('#wanted:hs.test'), closedRoom('#unwanted:hs.test')];
    const one = await connected({}, { ...byToken(), rooms: ['#wanted:hs.test'] });

    for (const id of [unwanted, wanted]) server.model.setMembership(id, me, 'invite', alice);
    await one.until(() => one.timelines.some(({ id }) => id === wanted));

    assert.equal(server.model.membership(unwanted, me), 'invite');
  });

  function closedRoom(alias: string): string {
    const id = server.model.createRoom(alice, { alias });
    server.model.append(id, {
      type: 'm.room.join_rules',
      state_key: '',
      sender: alice,
      content: { join_rule: 'invite' },
    });
    return id;
  }
});

describe('history', () => {
  test('is read back page by page, up to the first message', async () => {
    for (let number = 0; number < 25; number += 1) say(`old ${number}`);
    const one = await connected();
    say('live');
    await one.until(() => texts(one).includes('live'));

    const pages = await allPages(one, 'older');

    const wanted = Array.from({ length: 25 }, (_, number) => `old ${number}`);
    assert.deepEqual(
      pages.filter((text) => text !== 'live'),
      wanted,
    );
  });

  test('is read on from a place that a live message had', async () => {
    const memory = new Map<string, string>();
    const first = await connected({ memory });
    say('known');
    await first.until(() => first.positions.length === 1);
    await first.stop();
    for (let number = 0; number < 25; number += 1) say(`missed ${number}`);

    const next = await connected({ memory });
    const pages = await allPages(next, 'newer', first.positions[0]?.cursor);

    assert.deepEqual(
      pages,
      Array.from({ length: 25 }, (_, number) => `missed ${number}`),
    );
  });

  test('a place that the homeserver has forgotten is told as lost, and live goes on', async () => {
    const memory = new Map<string, string>();
    const first = await connected({ memory });
    say('known');
    await first.until(() => first.positions.length === 1);
    await first.stop();
    server.forgetPlaces();

    const next = await connected({ memory });
    say('after');
    await next.until(() => texts(next).includes('after'));

    await assert.rejects(allPages(next, 'newer', first.positions[0]?.cursor), CursorLost);
  });

  test('of a room that the user has left is at its end', async () => {
    const one = await connected();
    const other = server.model.createRoom(alice, { name: 'Not ours' });

    const page = await one.connection.history?.(request({ timeline: other, direction: 'older' }));

    assert.deepEqual(page?.events, []);
    assert.equal(page?.end, true);
  });
});

describe('sending', () => {
  test('is told back once, as our own, and an answer names what it answers', async () => {
    const one = await connected();
    const id = say('a question');

    const sent = await one.connection.send?.({ id: '17', chat: room, text: 'an answer', replyTo: id });
    await one.until(() => texts(one).includes('an answer'));

    const own = one.messages().filter(({ isOwn }) => isOwn);
    assert.deepEqual(
      own.map((message) => [message.id, message.text, message.replyTo]),
      [[sent?.id, 'an answer', id]],
    );
    const [asked] = server.requests.filter(({ method }) => method === 'PUT');
    assert.deepEqual(JSON.parse(asked?.body ?? ''), {
      msgtype: 'm.text',
      body: 'an answer',
      'm.mentions': {},
      'm.relates_to': { 'm.in_reply_to': { event_id: id } },
    });
  });

  test('twice under one id is one message, also after the answer was lost and by the next connection', async () => {
    const memory = new Map<string, string>();
    const one = await connected({ memory }, byPassword());
    server.fault({ path: /\/send\//, cutAfter: true });
    const outgoing = { id: '17', chat: room, text: 'only once' };

    const lost = await one.connection.send?.(outgoing).catch((error: unknown) => error);
    await one.stop();
    const next = await connected({ memory }, byPassword());
    const sent = await next.connection.wasSent?.(outgoing);

    assert.ok(lost instanceof Error && !(lost instanceof NotSent));
    const stored = server.model.room(room).events.filter(({ content }) => content.body === 'only once');
    assert.deepEqual(
      stored.map(({ event_id: id }) => id),
      [sent?.id],
    );
  });

  test('where the user may not write, or where there is no room, surely was not sent', async () => {
    const closed = server.model.createRoom(alice, { name: 'Closed' });
    const one = await connected();
    const attempts = [closed, '!nowhere:hs.test', 'Family', '..'].map((chat) =>
      one.connection.send?.({ id: '1', chat, text: 'x' }),
    );

    const failures = await Promise.allSettled(attempts);

    for (const failure of failures) {
      assert.ok(failure.status === 'rejected' && failure.reason instanceof NotSent && !failure.reason.retry);
      assert.equal(failure.reason.message.includes('words of the homeserver'), false);
    }
  });

  test('into an encrypted room is refused, because nobody should read it on the way', async () => {
    append('m.room.encryption', { algorithm: 'm.megolm.v1.aes-sha2' }, '');
    const one = await connected();

    await assert.rejects(async () => one.connection.send?.({ id: '1', chat: room, text: 'secret' }), NotSent);

    assert.equal(
      server.requests.some(({ path }) => path.includes('/send/')),
      false,
    );
  });

  test('a text that is too long surely was not sent', async () => {
    const one = await connected();

    await assert.rejects(async () => one.connection.send?.({ id: '1', chat: room, text: 'x'.repeat(70_000) }), NotSent);
  });

  test('while the homeserver is away may be tried again later', async () => {
    const one = await connected();
    await server.down();

    const failure = await one.connection.send?.({ id: '1', chat: room, text: 'x' }).catch((error: unknown) => error);

    assert.ok(failure instanceof NotSent && failure.retry);
  });
});

describe('a homeserver in trouble', () => {
  test('that asks to be left alone for a moment is', async () => {
    const busy = { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 5 } };
    const header = { status: 429, headers: { 'retry-after': '0' }, body: { errcode: 'M_LIMIT_EXCEEDED' } };
    server.fault({ path: /sync/, answer: busy });
    server.fault({ path: /whoami/, answer: header });
    const one = await connected();
    server.fault({ path: /\/send\//, answer: busy });

    const sent = await one.connection.send?.({ id: '1', chat: room, text: 'patient' });

    assert.ok(sent?.id);
  });

  test('that asks for longer than can be waited for fails with a message that may be sent later', async () => {
    const one = await connected();
    server.fault({ path: /\/send\//, answer: { status: 429, body: { retry_after_ms: 3_600_000 } } });

    const failure = await one.connection.send?.({ id: '1', chat: room, text: 'x' }).catch((error: unknown) => error);

    assert.ok(failure instanceof NotSent && failure.retry);
  });

  test('that fails, breaks off or talks nonsense ends the connection, to be made again', async () => {
    const answers = [
      { status: 500, body: {} },
      { status: 200, body: 'nonsense' },
      { status: 200, body: { rooms: {} } },
    ];
    for (const answer of answers) {
      server.fault({ path: /sync/, answer });
      const outcome = await run().ended;
      assert.ok(outcome instanceof Error && !(outcome instanceof Rejected), String(answer.body));
    }
    server.fault({ path: /sync/, cutAfter: true });
    const outcome = await run().ended;

    assert.ok(outcome instanceof Error && !(outcome instanceof Rejected));
  });

  test('whose answer has no end is not read to the end', async () => {
    server.fault({ path: /sync/, answer: { status: 200, body: `"${'x'.repeat(64 * 1024 * 1024 + 1)}"` } });

    const outcome = await run().ended;

    assert.match(String(outcome), /more than \d+ bytes/);
  });

  test('that never answers does not keep a connection from ending', async () => {
    server.fault({ path: /sync/, hang: true });
    const one = run();
    while (!server.requests.some(({ path }) => path.endsWith('/sync'))) await new Promise(setImmediate);

    await one.stop();

    assert.equal(await one.ended, undefined);
  });

  test('a long poll ends at once when the connection is ended', async () => {
    const one = await connected();
    while (!server.requests.some(({ query }) => query.get('timeout') === '30000')) await new Promise(setImmediate);

    await one.stop();

    assert.equal(await one.ended, undefined);
  });
});

function run(options: RecordingOptions = {}, settings: MatrixSettings = byToken()): RecordedRun {
  const one = runRecorded(matrix, settings, options);
  runs.push(one);
  return one;
}

async function connected(options?: RecordingOptions, settings?: MatrixSettings): Promise<RecordedRun> {
  const one = run(options, settings);
  await one.connected();
  return one;
}

function byToken(): MatrixSettings {
  return { homeserver: `${server.url}/`, access_token: server.tokenOf(me) };
}

function byPassword(): MatrixSettings {
  return { homeserver: server.url, user: me, password: 'secret' };
}

function said(text: string, at?: number) {
  return {
    type: 'm.room.message',
    sender: alice,
    content: { msgtype: 'm.text', body: text },
    ...(at === undefined ? {} : { at }),
  };
}

function say(text: string, at?: number): string {
  return server.model.append(room, said(text, at)).event_id;
}

function append(type: string, content: Record<string, unknown>, key?: string): string {
  return server.model.append(room, { type, sender: alice, content, ...(key === undefined ? {} : { state_key: key }) })
    .event_id;
}

function texts(one: RecordedRun): string[] {
  return one.messages().map(({ text }) => text);
}

function request(
  wanted: Pick<HistoryRequest, 'timeline' | 'direction'> & { from?: string | undefined },
): HistoryRequest {
  const { from, ...rest } = wanted;
  return { ...rest, ...(from === undefined ? {} : { from }), limit: 10, signal: new AbortController().signal };
}

/** The texts of all pages, in the order in which they were said. */
async function allPages(one: RecordedRun, direction: 'older' | 'newer', start?: string): Promise<string[]> {
  const found: string[] = [];
  for (let from = start, end = false; !end; ) {
    const page = await one.connection.history?.(request({ timeline: room, direction, from }));
    assert.ok(page);
    const here = page.events.flatMap((event) => (event.kind === 'message' ? [event.message.text] : []));
    if (direction === 'older') found.unshift(...here);
    else found.push(...here);
    from = direction === 'older' ? page.oldest : page.newest;
    end = page.end;
  }
  return found;
}
