import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../domain/errors.ts';
import { pageOf } from './pages.ts';

const key = (name: string) => name;

describe('pages of a list', () => {
  test('are one page without a cursor if everything fits', () => {
    assert.deepEqual(pageOf(['a', 'b'], key, 2), { items: ['a', 'b'] });
    assert.deepEqual(pageOf([], key, 2), { items: [] });
  });

  test('contain every entry exactly once, in order, for any page size', () => {
    const names = fc.uniqueArray(fc.string({ unit: 'binary-ascii' })).map((list) => [...list].sort(byCode));
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 10 }), (list, size) => {
        assert.deepEqual(walk(list, size), list);
      }),
    );
  });

  test('neither skip nor repeat entries when others are added or removed in between', () => {
    const first = pageOf(['a', 'c', 'e', 'g'], key, 2);

    const afterRemoval = pageOf(['a', 'e', 'g'], key, 2, first.nextCursor);
    const afterAddition = pageOf(['a', 'b', 'c', 'd', 'e', 'g'], key, 2, first.nextCursor);

    assert.deepEqual(afterRemoval, { items: ['e', 'g'] });
    assert.deepEqual(afterAddition.items, ['d', 'e']);
  });

  test('end where nothing is left after the cursor', () => {
    const { nextCursor } = pageOf(['a', 'b'], key, 1);

    assert.deepEqual(pageOf(['a'], key, 1, nextCursor), { items: [] });
  });
});

describe('a cursor', () => {
  test('that is not ours is refused with the field it came in', () => {
    for (const cursor of ['', 'x', 'YQ', '../../etc/passwd', '\ud800', 'k:a', 'azph=', 'azp h']) {
      assert.throws(
        () => pageOf(['a', 'b'], key, 1, cursor),
        (error) => error instanceof AppError && error.code === 'VALIDATION_ERROR' && error.field === 'cursor',
        JSON.stringify(cursor),
      );
    }
  });

  test('of any text is valid or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (cursor) => {
        try {
          pageOf(['a', 'b'], key, 1, cursor);
        } catch (error) {
          assert.ok(error instanceof AppError);
        }
      }),
    );
  });
});

function walk(list: readonly string[], size: number): string[] {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = pageOf(list, key, size, cursor);
    seen.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return seen;
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : 1;
}
