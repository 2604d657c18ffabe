import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredToken } from '../../../src/system/ports.ts';
import type { Store } from './open-store.ts';
import { types } from './samples.ts';

/** What every database must do with tokens. */
export function tokenContract(store: () => Store): void {
  test('a token is stored by its name, with only its hash', async () => {
    const tokens = [token('b', { agent: 'Ada' }), token('a')];

    const added = await Promise.all(tokens.map((each) => store().tokens.add(each)));

    assert.deepEqual(added, [true, true]);
    assert.deepEqual(await store().tokens.list(), tokens.toReversed());
  });

  test('a token is stored with its chats and its send policy', async () => {
    const confined = token('a', { chats: ['ops:#dev', 'telegram:*'], sendChats: [], policy: { send: 'hold' } });

    await store().tokens.add(confined);

    assert.deepEqual(await store().tokens.list(), [confined]);
  });

  test('a token is stored with the grants of other capabilities', async () => {
    const confined = { ...token('a', { agent: 'Ada' }), accounts: ['work'] };

    await store().tokens.add(confined);

    assert.deepEqual(await store().tokens.list(), [confined]);
  });

  test('a second token with the same name is refused, and the first is unchanged', async () => {
    await store().tokens.add(token('a'));

    const added = await store().tokens.add(token('a', { hash: 'f'.repeat(64), scopes: ['system:manage'] }));

    assert.equal(added, false);
    assert.deepEqual(await store().tokens.list(), [token('a')]);
  });

  test('a removed token no longer exists, and each change has an event', async () => {
    await store().tokens.add(token('a'));

    const remove = () => store().tokens.remove(token('a'), { evenLast: true });
    const removed = [await remove(), await remove()];

    assert.deepEqual(removed, ['removed', 'unknown']);
    assert.deepEqual(await store().tokens.list(), []);
    const events = await store().events.read(0, { types: ['token.'] });
    assert.deepEqual(types(events), ['token.added', 'token.removed']);
    assert.deepEqual(events[0]?.data, { scopes: ['chat:read'] });
  });

  test('a token is removed with those that it made, and those that they made', async () => {
    const [a, b, c, d] = [token('a'), token('b'), token('c'), token('d')];
    await store().tokens.add(a);
    await store().tokens.add({ ...b, madeBy: [a.hash] });
    await store().tokens.add({ ...c, madeBy: [a.hash, b.hash] });
    const last = await store().tokens.remove(a, { evenLast: false });
    await store().tokens.add(d);

    const removed = await store().tokens.remove(a, { evenLast: false });

    assert.deepEqual([last, removed], ['last', 'removed']);
    assert.deepEqual(await store().tokens.list(), [d]);
    const events = await store().events.read(0, { types: ['token.removed'] });
    assert.deepEqual(
      events.map(({ subject }) => subject),
      ['a', 'b', 'c'],
    );
  });

  test('the last token, and one remade under the same name, are not removed by mistake', async () => {
    await store().tokens.add(token('a'));
    const remove = (which: StoredToken) => store().tokens.remove(which, { evenLast: false });

    const outcomes = [await remove(token('a')), await remove(token('a', { hash: 'f'.repeat(64) }))];
    await store().tokens.add(token('b'));
    outcomes.push(await remove(token('a')));

    assert.deepEqual(outcomes, ['last', 'unknown', 'removed']);
    assert.deepEqual(await store().tokens.list(), [token('b')]);
  });
}

function token(name: string, facts: Partial<StoredToken> = {}): StoredToken {
  const hash = Buffer.from(name).toString('hex').padEnd(64, '0');
  return { name, hash, scopes: ['chat:read'], createdAt: 1, ...facts };
}
