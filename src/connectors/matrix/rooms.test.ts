import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createRooms, learnState, learnSummary } from './rooms.ts';
import { directRoomsIn, readDirectRooms, readEvents, readRoom, readSync } from './schema.ts';

const ROOM = '!room:example.org';
const ME = '@me:example.org';

describe('the name of a room', () => {
  test('is its own name, else its alias', () => {
    assert.equal(
      chat([state('m.room.name', { name: 'Family' }), state('m.room.canonical_alias', { alias: '#f:x' })])?.name,
      'Family',
    );
    assert.equal(
      chat([state('m.room.name', { name: '  ' }), state('m.room.canonical_alias', { alias: '#f:x' })])?.name,
      '#f:x',
    );
  });

  test('is made of its members if it has none', () => {
    const heroes = ['@ann:x', '@ben:x', ME];

    assert.equal(chat([member('@ann:x', 'Ann')], { heroes: ['@ann:x'], joined: 2 })?.name, 'Ann');
    assert.equal(chat([member('@ann:x', 'Ann')], { heroes, joined: 3 })?.name, 'Ann and ben');
    assert.equal(chat([], { heroes, joined: 4 })?.name, 'ann, ben and 1 other');
    assert.equal(chat([], { heroes, joined: 9 })?.name, 'ann, ben and 6 others');
  });

  test('is undefined if nothing is known, so that a known name is not replaced', () => {
    assert.deepEqual(chat([]), { id: ROOM, type: 'group' });
  });

  test('of a direct chat is the name of the other user', () => {
    const direct = { '@ann:x': [ROOM] };

    for (const summary of [{}, { heroes: [], joined: 1 }]) {
      assert.deepEqual(chat([member('@ann:x', 'Ann')], summary, direct), { id: ROOM, type: 'direct', name: 'Ann' });
    }
  });
});

describe('rooms', () => {
  test('report a change once', () => {
    const rooms = createRooms(ME);
    rooms.add(ROOM);

    const told = [rooms.news([ROOM]), rooms.news([ROOM])];

    assert.deepEqual(
      told.map(({ length }) => length),
      [1, 0],
    );
  });

  test('that are spaces are not chats', () => {
    const rooms = createRooms(ME);
    for (const event of readEvents([state('m.room.create', { type: 'm.space' })])) learnState(rooms.add(ROOM), event);

    assert.equal(rooms.isConversation(ROOM), false);
    assert.deepEqual(rooms.news([ROOM]), []);
  });

  test('are encrypted, not encrypted or unknown', () => {
    const create = state('m.room.create', {});
    const encryption = state('m.room.encryption', { algorithm: 'm.megolm.v1.aes-sha2' });

    const found = [[], [create], [create, encryption], [encryption, create]].map((events) => {
      const room = createRooms(ME).add(ROOM);
      for (const event of readEvents(events)) learnState(room, event);
      return room.encrypted;
    });

    assert.deepEqual(found, [undefined, false, true, true]);
  });

  test('retain the names of members who left; members without a name have the local part of their id', () => {
    const room = createRooms(ME).add(ROOM);
    const events = [
      member('@ann:x', 'Ann'),
      member('@ben:x', 'Ben'),
      member('@ann:x', undefined, 'leave'),
      member('@ben:x'),
    ];

    for (const event of readEvents(events)) learnState(room, event);

    assert.deepEqual(
      [...room.names],
      [
        ['@ann:x', 'Ann'],
        ['@ben:x', 'ben'],
      ],
    );
  });
});

describe('hostile responses', () => {
  test('of any shape are parsed as far as they are valid', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        readRoom(value);
        readDirectRooms(value);
        directRoomsIn([{ type: 'm.direct', content: value }, value]);
        const room = createRooms(ME).add(ROOM);
        for (const event of readEvents([state('m.room.name', value), state('m.room.member', value)]))
          learnState(room, event);
        learnSummary(room, readRoom({ summary: value }));
        assert.ok(room.name === undefined || typeof room.name === 'string');
      }),
    );
  });

  test('without a sync token are rejected', () => {
    assert.throws(() => readSync({ rooms: {} }), /not as the specification says/);
    assert.throws(() => readSync('nonsense'), /not as the specification says/);
  });
});

function chat(events: readonly object[], summary: { heroes?: string[]; joined?: number } = {}, direct: object = {}) {
  const rooms = createRooms(ME);
  rooms.setDirect(readDirectRooms(direct));
  const room = rooms.add(ROOM);
  for (const event of readEvents(events)) learnState(room, event);
  learnSummary(room, readRoom({ summary: { 'm.heroes': summary.heroes, 'm.joined_member_count': summary.joined } }));
  const [news] = rooms.news([ROOM]);
  if (news?.kind !== 'chat') return undefined;
  const { participantCount: _, ...rest } = news.chat;
  return rest;
}

function state(type: string, content: unknown, key = '') {
  return { type, event_id: '$s', sender: '@ann:x', origin_server_ts: 1, state_key: key, content };
}

function member(user: string, displayname?: string, membership = 'join') {
  return state('m.room.member', { membership, displayname }, user);
}
