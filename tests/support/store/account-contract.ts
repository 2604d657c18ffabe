import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from './open-store.ts';

/** What every database must do with email accounts. */
export function accountContract(store: () => Store): void {
  const row = (id: string, createdAt: number) => ({ id, settings: { email: `${id}@example.test` }, createdAt });

  test('are listed oldest first, unchanged', async () => {
    await store().email.accounts.add(row('b', 1));
    await store().email.accounts.add(row('a', 2));

    assert.deepEqual(await store().email.accounts.list(), [row('b', 1), row('a', 2)]);
  });

  test('have unique ids', async () => {
    await store().email.accounts.add(row('a', 1));

    await assert.rejects(store().email.accounts.add(row('a', 2)), { code: 'CONFLICT', field: 'id' });

    assert.deepEqual(await store().email.accounts.list(), [row('a', 1)]);
  });

  test('are removed once', async () => {
    await store().email.accounts.add(row('a', 1));

    const removed = [await store().email.accounts.remove('a'), await store().email.accounts.remove('a')];

    assert.deepEqual([removed, await store().email.accounts.list()], [[true, false], []]);
  });
}
