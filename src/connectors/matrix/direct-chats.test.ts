import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HomeserverError, type MatrixClient } from './client.ts';
import { createDirectChats } from './direct-chats.ts';
import { createRooms } from './rooms.ts';

const BOB = '@bob:hs.test';

for (const { status, mark } of [
  { status: 403, mark: '' },
  { status: 504, mark: 'creating' },
]) {
  test(`after a refusal to invite (${status}) only rooms that were not known before are asked`, async () => {
    const asked: string[] = [];
    const left: string[] = [];
    const ask: MatrixClient = async ({ method = 'GET', path }) => {
      if (path[0] === 'createRoom') throw new HomeserverError(status, 'M_UNKNOWN', undefined);
      if (path[0] === 'joined_rooms') return { joined_rooms: ['!known:hs.test', '!new:hs.test'] };
      if (path[0] === 'profile') return {};
      if (path[2] === 'leave') left.push(path[1] ?? '');
      if (method === 'POST') return {};
      asked.push(path[1] ?? '');
      if (path[3] === 'm.room.create') return { 'switchboard.direct_chat': BOB };
      throw new HomeserverError(404, 'M_NOT_FOUND', undefined);
    };
    const values = new Map<string, string>();
    const memory = {
      get: async (key: string) => values.get(key),
      set: async (key: string, value: string) => void values.set(key, value),
    };
    const rooms = createRooms('@me:hs.test');
    rooms.add('!known:hs.test');
    const session = { user: '@me:hs.test', token: 'x' };

    await assert.rejects(createDirectChats({ ask, session, rooms, memory }).roomWith(BOB));

    assert.deepEqual([new Set(asked), left], [new Set(['!new:hs.test']), ['!new:hs.test']]);
    assert.equal(values.get(`direct chat ${BOB}`), mark);
  });
}
