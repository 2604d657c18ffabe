import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChangedResource, Registry } from './registry.ts';
import { createSubscriptions, updateMeta } from './subscriptions.ts';

const UPDATE: ChangedResource = {
  uri: 'messages://irc/room',
  fields: { sender: 'bob' },
  data: { text: 'hi' },
  number: 7,
};

describe('the subscriptions of a connection', () => {
  test('tell once for each pattern that fits', () => {
    const { subscriptions, told, change } = build();
    subscriptions.add('messages://irc/*');
    subscriptions.add('messages://irc/room');
    subscriptions.add('messages://telegram/*');

    change(UPDATE);

    assert.deepEqual(told, [
      ['messages://irc/*', 7],
      ['messages://irc/room', 7],
    ]);
  });

  test('held twice are told once, and end when both have let go', () => {
    const { subscriptions, told, change } = build();
    subscriptions.add('messages://irc/*');
    subscriptions.add('messages://irc/*');

    subscriptions.remove('messages://irc/*');
    change(UPDATE);
    subscriptions.remove('messages://irc/*');
    change(UPDATE);

    assert.equal(told.length, 1);
  });

  test('listen to the registry only while there are any', () => {
    const { subscriptions, listeners } = build();
    const before = listeners.size;

    subscriptions.add('a://*');
    subscriptions.add('b://*');
    const during = listeners.size;
    subscriptions.remove('a://*');
    subscriptions.remove('never held');
    const stillHeld = subscriptions.has('b://*');
    subscriptions.remove('b://*');

    assert.deepEqual([before, during, stillHeld, listeners.size], [0, 1, true, 0]);
  });

  test('can be taken up again after they were closed', () => {
    const { subscriptions, told, change, listeners } = build();
    subscriptions.add('messages://irc/*');

    subscriptions.close();
    change(UPDATE);
    const toldWhileClosed = told.length;
    subscriptions.add('messages://irc/*');
    change(UPDATE);

    assert.equal(toldWhileClosed, 0);
    assert.equal(told.length, 1);
    assert.equal(listeners.size, 1);
  });
});

test('beside a notification stands which resource it was, and the event with its number', () => {
  assert.deepEqual(updateMeta(UPDATE), {
    'switchboard/uri': 'messages://irc/room',
    'switchboard/event': { number: 7, text: 'hi' },
  });
});

function build() {
  const listeners = new Set<(update: ChangedResource) => void>();
  const told: [string, number][] = [];
  const registry: Pick<Registry, 'onUpdate'> = {
    onUpdate(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const subscriptions = createSubscriptions(registry as Registry, (pattern, { number }) =>
    told.push([pattern, number]),
  );
  const change = (update: ChangedResource) => {
    for (const listener of listeners) listener(update);
  };
  return { subscriptions, listeners, told, change };
}
