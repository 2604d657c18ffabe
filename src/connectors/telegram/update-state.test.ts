import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createUpdateState } from './update-state.ts';

const COMMON = ['updates_pts', 'updates_qts', 'updates_date', 'updates_seq'];

function setting() {
  const values = new Map<string, string>();
  const memory = {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: string) => void values.set(key, value),
  };
  return { values, state: createUpdateState({ memory }), again: () => createUpdateState({ memory }) };
}

describe('how far updates were received', () => {
  test('it is stored only after the events before it, and loaded for the same account only', async () => {
    const { values, state, again } = setting();
    const accepted = Promise.withResolvers<void>();
    await state.load('1');
    state.accepting(accepted.promise);
    for (const key of COMMON) await state.storage.kv.set(key, Buffer.from([7, 0, 0, 0]));
    state.setChannel(5, 300);

    await state.storage.driver.save?.();
    await new Promise(setImmediate);
    const before = values.size;
    accepted.resolve();
    await state.close();

    assert.equal(before, 0);
    assert.equal(values.size, 5);
    assert.equal(await again().load('2'), false);
    const next = again();
    assert.equal(await next.load('1'), true);
    assert.deepEqual(await next.storage.kv.get('updates_pts'), Buffer.from([7, 0, 0, 0]));
    assert.equal(await next.channel(5), 300);
    assert.equal(await next.channel(6), undefined);
  });

  test('nothing is stored after an event that could not be stored', async () => {
    const { values, state } = setting();
    await state.load('1');
    state.accepting(Promise.reject(new Error('the disk is full')));
    state.setChannel(5, 300);

    await state.storage.driver.save?.();
    await state.close();

    assert.equal(values.size, 0);
  });

  test('keys and other values of the library are not stored', async () => {
    const { values, state } = setting();
    await state.load('1');
    await state.storage.authKeys.set(2, Buffer.alloc(256, 1));
    await state.storage.kv.set('current_user', Buffer.from([1]));

    await state.storage.driver.save?.();
    await state.close();

    assert.equal(values.size, 0);
  });

  test('a damaged value counts as none', async () => {
    const { values, state } = setting();
    for (const key of COMMON) values.set(`1 ${key}`, 'xyz');

    assert.equal(await state.load('1'), false);
  });
});
