import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { Capability } from '../capability.ts';
import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import { localPrincipal } from '../domain/principal.ts';
import { createChanges } from './changes.ts';

const notes: Capability = {
  name: 'notes',
  invalidInput: 'INVALID_PARAMETER',
  operations: [],
  parts: {},
  templates: [
    {
      right: 'read',
      uriTemplate: 'notes://{note}',
      name: 'Note',
      description: '',
      mimeType: 'text/plain',
      read: async ({ href: uri }) => ({ uri, mimeType: 'text/plain', text: '' }),
    },
  ],
  updates: ({ subject, data }) => (subject.startsWith('notes://') ? [{ uri: subject, fields: {}, data }] : []),
  mayHear: ({ name }, { uri }) => name !== 'guest' || uri !== 'notes://secret',
};

describe('the changes after an event', () => {
  test('are returned in batches, each with the position it reaches', async () => {
    const { changes } = build(250);

    const first = await changes.missed(10, localPrincipal());
    const last = await changes.missed(240, localPrincipal());
    const nothing = await changes.missed(250, localPrincipal());

    assert.deepEqual([first.updates.length, first.updates[0]?.number, first.upTo], [100, 11, 110]);
    assert.deepEqual([last.updates.length, last.upTo], [10, 250]);
    assert.deepEqual(nothing, { updates: [], upTo: 250 });
  });

  test('advance the position even if none is for this principal', async () => {
    const { changes } = build(3);

    const stranger = await changes.missed(0, tokenPrincipal('stranger', ['other:read']));

    assert.deepEqual(stranger, { updates: [], upTo: 3 });
  });

  test('can be requested as long as all of them are retained', async () => {
    const { changes } = build(20, 10);

    await changes.checkKept(9);
    await changes.checkKept(20);

    await assert.rejects(changes.checkKept(8), { code: 'NOT_FOUND', hint: /resume from is 9/ });
    await assert.rejects(changes.checkKept(21), { code: 'NOT_FOUND', message: /newest is 20/ });
  });
});

test('a principal without the scope gets neither live nor missed changes', async () => {
  const { changes, store } = build(0);
  const heard: string[] = [];
  const guest = tokenPrincipal('guest', ['notes:read']);
  changes.listen(({ uri }) => heard.push(`guest ${uri}`), guest);
  changes.listen(({ uri }) => heard.push(`local ${uri}`), localPrincipal());

  store('notes://secret');
  store('notes://plain');
  const { updates } = await changes.missed(0, guest);

  assert.deepEqual(heard, ['local notes://secret', 'guest notes://plain', 'local notes://plain']);
  assert.deepEqual(
    updates.map(({ uri }) => uri),
    ['notes://plain'],
  );
});

test('secrets are masked in updates', () => {
  const { changes, store } = build(0);
  const heard: unknown[] = [];
  changes.listen(({ data }) => heard.push(data), localPrincipal());

  store('notes://plain', 'hunter2');

  assert.deepEqual(heard, [{ text: '***' }]);
});

function build(count: number, first = 1) {
  const log: StoredEvent[] = [];
  let tell: ((events: readonly StoredEvent[]) => void) | undefined;
  const store = (subject: string, text = '') => {
    const event = { number: first + log.length, at: '', type: 'note', subject, data: { text } };
    log.push(event);
    tell?.([event]);
  };
  for (let number = first; number <= count; number++) store('notes://plain');
  const events: Pick<EventLog, 'read' | 'range' | 'listen'> = {
    read: async (after, { limit } = {}) => log.filter(({ number }) => number > after).slice(0, limit),
    range: async () => ({ first, last: log.at(-1)?.number ?? 0 }),
    listen(listener) {
      tell = listener;
      return () => {};
    },
  };
  const masker = {
    maskDeep: <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll('hunter2', '***')) as T,
  };
  return { changes: createChanges({ events: events as EventLog, masker }, [notes]), store };
}
