import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findSent, ownIdTag } from './own-id.ts';

describe('finding our message in the history', () => {
  test('finds it by its id, in one line or in several', () => {
    assert.deepEqual(findSent([line('x', 0, 1), line('one', 0, 1)], 'one'), { kind: 'sent', id: 'msg-one-0' });
    assert.deepEqual(findSent([line('two', 0, 2), line('x', 0, 1), line('two', 1, 2)], 'two'), {
      kind: 'sent',
      id: 'msg-two-0',
    });
  });

  test('returns nothing if no line has exactly this id', () => {
    assert.equal(findSent([line('one1', 0, 1), { tags: {} }], 'one'), undefined);
  });

  test('returns unknown if some of its lines are missing', () => {
    assert.equal(findSent([line('three', 0, 3), line('three', 1, 3)], 'three')?.kind, 'unknown');
    assert.equal(findSent([line('three', 2, 3)], 'three')?.kind, 'unknown');
  });
});

function line(id: string, index: number, count: number) {
  return { tags: { ...ownIdTag(id, index, count), msgid: `msg-${id}-${index}` } };
}
