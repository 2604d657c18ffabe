import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { localPrincipal } from '../domain/principal.ts';
import type { ChangedResource } from './registry.ts';
import { createSubscriptions, updateMeta } from './subscriptions.ts';

const ROOM = 'messages://irc/room';
const ROOMS = 'messages://irc/*';

const said = (number: number, uri = ROOM): ChangedResource => ({
  uri,
  fields: { sender: 'bob' },
  data: { text: 'hi' },
  number,
});

describe('the subscriptions of a client', () => {
  test('notify once for each match', () => {
    const { subscribe, told, change } = build();
    subscribe(ROOMS);
    subscribe(ROOM);
    subscribe('messages://telegram/*');

    change(said(7));

    assert.deepEqual(told, [`${ROOMS} 7`, `${ROOM} 7`]);
  });

  test('follow the URIs they resolve to, and are notified under their own URI', () => {
    const { subscriptions, told, change } = build();
    subscriptions.add('messages://irc/Our%20room', { follows: [ROOM, 'messages://irc/other'] });

    change(said(7));
    change(said(8, 'messages://irc/third'));

    assert.deepEqual(told, ['messages://irc/Our%20room 7']);
  });

  test('listen to the registry only while there are subscriptions', () => {
    const { subscribe, subscriptions, listeners } = build();
    const before = listeners.size;

    subscribe('a://*');
    subscribe('b://*');
    const during = listeners.size;
    subscriptions.remove('a://*');
    subscriptions.remove('never held');
    const stillHeld = subscriptions.has('b://*');
    subscriptions.remove('b://*');

    assert.deepEqual([before, during, stillHeld, listeners.size], [0, 1, true, 0]);
  });

  test('can be resumed after they were closed', () => {
    const { subscribe, subscriptions, told, change, listeners } = build();
    subscribe(ROOMS);

    subscriptions.close();
    change(said(7));
    const toldWhileClosed = told.length;
    subscribe(ROOMS);
    change(said(8));

    assert.equal(toldWhileClosed, 0);
    assert.deepEqual(told, [`${ROOMS} 8`]);
    assert.equal(listeners.size, 1);
  });
});

describe('a subscription whose client does not read', () => {
  test('queues a limited number of updates, and gets all of them once it reads', async () => {
    const room = Promise.withResolvers<void>();
    const { subscribe, told, change, caughtUp } = build({ room: room.promise });
    subscribe(ROOMS);
    const numbers = Array.from({ length: 5_000 }, (_, index) => index + 1);

    for (const number of numbers) change(said(number));
    await caughtUp();
    const untilThen = told.length;
    room.resolve();
    await caughtUp();
    change(said(5_001));

    assert.ok(untilThen < 2_100);
    assert.deepEqual(
      told,
      [...numbers, 5_001].map((number) => `${ROOMS} ${number}`),
    );
  });
});

describe('a subscription that resumes', () => {
  test('gets what it missed in order, and then live updates', async () => {
    const { subscribe, told, change, caughtUp } = build();
    for (const number of [1, 2, 3, 4, 5]) change(said(number));

    subscribe(ROOMS, 2);
    await caughtUp();
    change(said(6));

    assert.deepEqual(
      told,
      [3, 4, 5, 6].map((number) => `${ROOMS} ${number}`),
    );
  });

  test('neither misses nor repeats what happens during the replay', async () => {
    const { subscribe, told, change, onRead, caughtUp } = build();
    for (const number of [1, 2, 3]) change(said(number));
    let next = 4;
    // Before and after each read of the log, for a while.
    onRead(() => next < 20 && change(said(next++)));

    subscribe(ROOMS, 0);
    await caughtUp();
    change(said(next));

    assert.deepEqual(
      told,
      Array.from({ length: 20 }, (_, index) => `${ROOMS} ${index + 1}`),
    );
  });

  test('does not affect the others of the same client', async () => {
    const { subscribe, told, change, caughtUp } = build();
    change(said(1));
    subscribe(ROOM);

    subscribe(ROOMS, 0);
    await caughtUp();

    assert.deepEqual(told, [`${ROOMS} 1`]);
  });

  test('and is removed gets nothing more', async () => {
    const { subscribe, subscriptions, told, change, caughtUp } = build();
    for (const number of [1, 2, 3]) change(said(number));

    subscribe(ROOMS, 0);
    subscriptions.remove(ROOMS);
    await caughtUp();

    assert.deepEqual(told, []);
  });

  test('waits until the client reads', async () => {
    const here = Promise.withResolvers<void>();
    const { subscribe, told, change, caughtUp } = build({ ready: () => here.promise });
    change(said(1));

    subscribe(ROOMS, 0);
    await new Promise((resolve) => setImmediate(resolve));
    change(said(2));
    const early = [...told];
    here.resolve();
    await caughtUp();

    assert.deepEqual(early, []);
    assert.deepEqual(told, [`${ROOMS} 1`, `${ROOMS} 2`]);
  });
});

test('the metadata of a notification has the resource and the event with its number', () => {
  assert.deepEqual(updateMeta(said(7)), {
    'switchboard/uri': ROOM,
    'switchboard/event': { number: 7, text: 'hi' },
  });
});

function build({ ready, room }: { ready?: () => Promise<void>; room?: Promise<void> } = {}) {
  const listeners = new Set<(update: ChangedResource) => void>();
  const told: string[] = [];
  const log: ChangedResource[] = [];
  let reading: () => unknown = () => {};
  const subscriptions = createSubscriptions({
    registry: {
      onUpdate(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      async missed(after) {
        reading();
        const updates = log.filter(({ number }) => number > after).slice(0, 2);
        reading();
        await Promise.resolve();
        return { updates, upTo: updates.at(-1)?.number ?? after };
      },
    },
    principal: localPrincipal(),
    log: silentLog,
    async deliver(key, { number }) {
      told.push(`${key} ${number}`);
      await room;
    },
    ...(ready ? { ready } : {}),
  });
  const change = (update: ChangedResource) => {
    log.push(update);
    for (const listener of listeners) listener(update);
  };
  return {
    subscriptions,
    subscribe: (pattern: string, after?: number) =>
      subscriptions.add(pattern, { follows: [pattern], ...(after === undefined ? {} : { after }) }),
    listeners,
    told,
    change,
    onRead: (happen: () => unknown) => {
      reading = happen;
    },
    /** Resolves when turns have passed without another notification. */
    async caughtUp() {
      for (let quiet = 0, before = -1; quiet < 10; quiet = before === told.length ? quiet + 1 : 0) {
        before = told.length;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
