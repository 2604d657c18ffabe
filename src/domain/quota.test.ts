import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { AppError } from './errors.ts';
import { localPrincipal, type Principal } from './principal.ts';
import { createQuota, displaceable } from './quota.ts';

const OWNER = localPrincipal();
const [A, B, C] = ['a', 'b', 'c'].map((name) => tokenPrincipal(name, [])) as [Principal, Principal, Principal];
const THINGS = { things: 'things', state: 'are open' };

describe('a quota', () => {
  const quotaOf = (total: number, perToken: number) => createQuota(THINGS, () => ({ total, perToken }));

  test('is shared by a token and those that it made', () => {
    const quota = quotaOf(100, 2);
    const made = tokenPrincipal('made', [], { madeBy: [A.identity] });
    quota.take(A);
    quota.take(made);

    assert.throws(() => quota.take(made), { code: 'BUSY' });
    assert.throws(() => quota.take(A), { code: 'BUSY' });
  });

  test('limits each token, and the error says whose limit it is', () => {
    const quota = quotaOf(100, 2);
    const release = quota.take(A);
    quota.take(A);

    assert.throws(() => quota.take(A), {
      code: 'BUSY',
      message: '2 things of this token are open already, which is the limit.',
    });
    quota.take(B, 2);
    assert.throws(() => quota.take(B), { code: 'BUSY' });
    release();
    quota.take(A);
    assert.equal(quota.taken(), 4);
  });

  test('keeps a part for the owner, whom all tokens together cannot keep out', () => {
    const quota = quotaOf(20, 20);
    quota.take(A, 10);
    quota.take(B, 8);

    assert.throws(() => quota.take(C), { code: 'BUSY' });
    quota.take(OWNER);
    quota.take(OWNER);
    assert.throws(() => quota.take(OWNER), { code: 'BUSY', message: /^20 things in all/ });
  });

  test('never exceeds a limit, and ends empty, whatever is taken and given back', () => {
    const action = fc.record({
      who: fc.constantFrom(OWNER, A, B, C),
      amount: fc.integer({ min: 1, max: 5 }),
      gives: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const quota = quotaOf(20, 7);
        const held: { who: Principal; amount: number; release: () => void }[] = [];
        for (const { who, amount, gives } of actions) {
          if (gives) held.shift()?.release();
          else {
            try {
              held.push({ who, amount, release: quota.take(who, amount) });
            } catch (error) {
              assert.equal((error as AppError).code, 'BUSY');
            }
          }
          const sum = (items: typeof held) => items.reduce((total, item) => total + item.amount, 0);
          assert.equal(quota.taken(), sum(held));
          assert.ok(quota.taken() <= 20);
          for (const token of [A, B, C]) assert.ok(sum(held.filter((item) => item.who === token)) <= 7);
        }
        for (const { release } of [...held, ...held]) release();
        assert.equal(quota.taken(), 0);
      }),
    );
  });
});

describe('what is ended for a newcomer', () => {
  const held = (...principals: Principal[]) => principals.map((principal, age) => ({ principal, age }));
  const order = (items: ReturnType<typeof held>, newcomer: Principal) =>
    displaceable(items, newcomer).map((group) => group.map(({ age }) => age));

  test('is of the greediest token, the oldest first', () => {
    assert.deepEqual(order(held(A, B, B, C, B, C), C), [
      [1, 2, 4],
      [3, 5],
    ]);
  });

  test('is never the owner’s for a token, even if the owner has the most', () => {
    assert.deepEqual(order(held(OWNER, OWNER, OWNER, A), A), [[3]]);
    assert.deepEqual(order(held(OWNER, OWNER), A), []);
  });

  test('is never of a token that has less than the newcomer', () => {
    assert.deepEqual(order(held(A, B, B, B), B), [[1, 2, 3]]);
  });

  test('for the owner may be of anyone, of a token first', () => {
    assert.deepEqual(order(held(OWNER, A, B), OWNER), [[1], [2], [0]]);
  });
});
