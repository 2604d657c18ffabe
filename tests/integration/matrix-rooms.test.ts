import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matrixFixture, textsOf } from '../support/matrix/fixture.ts';
import { until } from '../support/mcp/shim-program.ts';

const here = matrixFixture();

describe('events', () => {
  test('messages from before the connection are history, later ones are live', async () => {
    here.say('before');
    const one = await here.connected();

    here.say('hello');
    await one.until(() => one.messages().length === 1);

    const [message] = one.messages();
    assert.equal(message?.text, 'hello');
    assert.deepEqual(message?.sender, { id: here.alice, name: 'Alice' });
    assert.deepEqual(one.timelines, [{ id: here.room, chat: here.room }]);
    assert.deepEqual(one.chat(here.room), { id: here.room, type: 'group', name: 'Family', participantCount: 2 });
  });

  test('continue after the last stored event', async () => {
    const memory = new Map<string, string>();
    const one = await here.connected({ memory });
    await one.stop();
    here.say('while away');
    let fails = 1;
    const beforeAccept = () => {
      if (fails-- > 0) throw new Error('the disk is full');
    };

    const broken = await here.run({ memory, beforeAccept }).ended;
    const next = await here.connected({ memory });
    await next.until(() => next.messages().length === 1);

    assert.match(String(broken), /the disk is full/);
    assert.deepEqual(textsOf(next), ['while away']);
  });

  test('a gap after a large burst is filled, in order and without loss', async () => {
    const one = await here.connected();
    const wanted = Array.from({ length: 450 }, (_, number) => `burst ${number}`);

    for (const text of wanted) here.say(text, { at: 1_000 });
    await one.until(() => textsOf(one).includes('burst 449'));

    assert.deepEqual([...new Set(textsOf(one))], wanted);
  });

  test('messages are received again after the user was out of the room, with those meanwhile', async () => {
    const { model } = here.server;
    const one = await here.connected();
    here.say('before');
    await one.until(() => textsOf(one).includes('before'));

    model.setMembership(here.room, here.me, 'leave', here.alice);
    here.say('meanwhile');
    model.setMembership(here.room, here.me, 'join');
    here.say('after');
    await one.until(() => textsOf(one).includes('after'));

    assert.deepEqual([...new Set(textsOf(one))], ['before', 'meanwhile', 'after']);
  });

  test('an edit and a redaction are reported as edit and deletion', async () => {
    const one = await here.connected();
    const id = here.say('helo');
    here.append('m.room.message', {
      msgtype: 'm.text',
      body: '* hello',
      'm.new_content': { msgtype: 'm.text', body: 'hello' },
      'm.relates_to': { rel_type: 'm.replace', event_id: id },
    });
    await one.until(() => one.events.some((event) => event.kind === 'edit' && event.message === id));

    here.append('m.room.redaction', {}, { redacts: id });
    await one.until(() => one.events.some((event) => event.kind === 'delete' && event.message === id));

    assert.deepEqual(
      one.events.flatMap((event) => (event.kind === 'edit' ? [[event.text, event.sender]] : [])),
      [['hello', here.alice]],
    );
  });

  test('a redacted reaction is reported as removed', async () => {
    const one = await here.connected();
    const id = here.say('hello');
    const reaction = here.append('m.reaction', {
      'm.relates_to': { rel_type: 'm.annotation', event_id: id, key: '👍' },
    });
    await one.until(() => one.events.some(({ kind }) => kind === 'reaction'));

    here.append('m.room.redaction', {}, { redacts: reaction });
    await one.until(() => one.events.some((event) => event.kind === 'reaction' && event.removed === true));

    assert.equal(
      one.events.some(({ kind }) => kind === 'delete'),
      false,
    );
  });

  test('a reaction from before a restart is removed, too', async () => {
    const memory = new Map<string, string>();
    const one = await here.connected({ memory });
    const id = here.say('hello');
    const reaction = here.append('m.reaction', {
      'm.relates_to': { rel_type: 'm.annotation', event_id: id, key: '👍' },
    });
    await one.until(() => memory.has('reactions 0'));
    await one.stop();

    const next = await here.connected({ memory });
    here.append('m.room.redaction', {}, { redacts: reaction });
    await next.until(() => next.events.some(({ kind }) => kind === 'reaction'));

    const found = next.events.flatMap((event) => (event.kind === 'reaction' ? [event] : []));
    assert.deepEqual(
      found.map(({ message, sign, removed, sender }) => [message, sign, removed, sender.id]),
      [[id, '👍', true, here.alice]],
    );
  });

  test('a room becomes a direct chat when m.direct lists it', async () => {
    const direct = here.server.model.createRoom(here.alice, { members: [here.me] });
    const one = await here.connected();
    const before = one.chat(direct).type;

    here.server.model.setAccountData(here.me, 'm.direct', { [here.alice]: [direct] });
    await one.until(() => one.chat(direct).type === 'direct');

    assert.equal(before, 'group');
    assert.deepEqual(one.chat(direct), { id: direct, type: 'direct', name: 'Alice', participantCount: 2 });
  });

  test('a changed name of a room or user is used from then on', async () => {
    const one = await here.connected();
    here.say('as Alice');
    here.append('m.room.name', { name: 'Clan' }, { state_key: '' });
    here.append('m.room.member', { membership: 'join', displayname: 'Alicia' }, { state_key: here.alice });

    here.say('as Alicia');
    await one.until(() => textsOf(one).includes('as Alicia'));

    assert.deepEqual(
      one.messages().map(({ sender }) => sender.name),
      ['Alice', 'Alicia'],
    );
    assert.equal(one.chat(here.room).name, 'Clan');
  });

  test('encrypted messages are stored as unknown content, and spaces are skipped', async () => {
    here.server.model.createRoom(here.alice, { name: 'A folder', members: [here.me], content: { type: 'm.space' } });
    const one = await here.connected();

    here.append('m.room.encrypted', { algorithm: 'm.megolm.v1.aes-sha2', ciphertext: 'sealed' });
    await one.until(() => one.messages().length === 1);

    assert.equal(one.messages()[0]?.contentType, 'unknown');
    assert.match(textsOf(one)[0] ?? '', /encrypted/);
    assert.deepEqual(
      one.timelines.map(({ id }) => id),
      [here.room],
    );
  });
});

describe('rooms to join', () => {
  test('rooms in the settings are joined, and later messages there are received', async () => {
    const open = here.server.model.createRoom(here.alice, { name: 'Open', alias: '#open:hs.test' });
    here.say('before we came', { room: open });

    const one = await here.connected({}, { ...here.byToken(), rooms: ['#open:hs.test'] });
    await one.until(() => one.timelines.some(({ id }) => id === open));
    here.say('welcome', { room: open });
    await one.until(() => textsOf(one).includes('welcome'));

    assert.deepEqual(textsOf(one), ['welcome']);
  });

  test('an invitation is accepted only for rooms in the settings', async () => {
    const [wanted, unwanted] = [closedRoom('#wanted:hs.test'), closedRoom('#unwanted:hs.test')];
    const one = await here.connected({}, { ...here.byToken(), rooms: ['#wanted:hs.test'] });

    for (const id of [unwanted, wanted]) here.server.model.setMembership(id, here.me, 'invite', here.alice);
    await one.until(() => one.timelines.some(({ id }) => id === wanted));

    assert.equal(here.server.model.membership(unwanted, here.me), 'invite');
  });

  test('a room that the user is removed from is reported, and joined again', async () => {
    const wanted = closedRoom('#wanted:hs.test');
    const { model } = here.server;
    model.setMembership(wanted, here.me, 'invite', here.alice);
    const one = await here.connected({}, { ...here.byToken(), rooms: ['#wanted:hs.test'] });
    await one.until(() => one.timelines.some(({ id }) => id === wanted));
    here.say('before', { room: wanted });
    await one.until(() => textsOf(one).includes('before'));

    model.setMembership(wanted, here.me, 'leave', here.alice);
    here.say('meanwhile', { room: wanted });
    await until('the problem is known', () => one.connection.problems?.().length === 1);
    const problems = one.connection.problems?.();
    model.setMembership(wanted, here.me, 'invite', here.alice);
    await until('it is joined again', () => model.membership(wanted, here.me) === 'join');
    here.say('after', { room: wanted });
    await one.until(() => textsOf(one).includes('after'));

    assert.deepEqual(problems, ['#wanted:hs.test was not joined: the user was removed from the room, or has left it.']);
    assert.deepEqual(one.connection.problems?.(), []);
    assert.deepEqual([...new Set(textsOf(one))], ['before', 'meanwhile', 'after']);
  });

  test('a room that was upgraded says so, and its address leads to the new one', async () => {
    const { model } = here.server;
    const former = model.createRoom(here.alice, { name: 'Open', alias: '#open:hs.test' });
    const one = await here.connected({}, { ...here.byToken(), rooms: ['#open:hs.test', former] });
    await one.until(() => one.timelines.some(({ id }) => id === former));
    const before = one.connection.addressOf?.('#open:hs.test');

    const next = model.createRoom(here.alice, { name: 'Open', alias: '#open:hs.test' });
    const tombstone = { body: 'a text of a stranger', replacement_room: next };
    model.append(former, { type: 'm.room.tombstone', sender: here.alice, state_key: '', content: tombstone });
    await one.until(() => one.timelines.some(({ id }) => id === next));

    assert.deepEqual([before, one.connection.addressOf?.('#open:hs.test')], [former, next]);
    assert.deepEqual(textsOf(one), [`The room was replaced by another one: ${next}.`]);
    assert.deepEqual(one.connection.problems?.(), [
      `${former} was not joined: the room was replaced by another one, which is to be listed instead.`,
    ]);
  });

  function closedRoom(alias: string): string {
    const id = here.server.model.createRoom(here.alice, { alias });
    here.server.model.append(id, {
      type: 'm.room.join_rules',
      state_key: '',
      sender: here.alice,
      content: { join_rule: 'invite' },
    });
    return id;
  }
});
