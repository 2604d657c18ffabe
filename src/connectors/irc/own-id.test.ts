import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findSent, ownIdTag } from './own-id.ts';

describe('a message of ours in the history', () => {
  test('is found by its id, whether it took one line or several', () => {
    assert.deepEqual(findSent([line('x', 0, 1), line('one', 0, 1)], 'one'), { kind: 'sent', id: 'msg-one-0' });
    assert.deepEqual(findSent([line('two', 0, 2), line('x', 0, 1), line('two', 1, 2)], 'two'), {
      kind: 'sent',
      id: 'msg-two-0',
    });
  });

  test('is not there where no line of it is, and others with a similar id are', () => {
    assert.equal(findSent([line('one1', 0, 1), { tags: {} }], 'one'), undefined);
  });

  test('was not sent for sure where lines of it are missing', () => {
    assert.equal(findSent([line('three', 0, 3), line('three', 1, 3)], 'three')?.kind, 'unknown');
    assert.equal(findSent([line('three', 2, 3)], 'three')?.kind, 'unknown');
  });
});

function line(id: string, index: number, count: number) {
  return { tags: { ...ownIdTag(id, index, count), msgid: `msg-${id}-${index}` } };
}
