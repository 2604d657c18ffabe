import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { objectOf } from './audited-object.ts';

const asIs = (text: string) => text;

describe('what a call names', () => {
  test('is its chat, source or resource, never its content', () => {
    const input = { source: 'libera', chat: '#ops', text: 'the content', query: 'searched', value: 's3cret', limit: 5 };

    assert.deepEqual(objectOf(input, asIs), { source: 'libera', chat: '#ops' });
    assert.deepEqual(objectOf({ uri: 'messages://libera/%23ops?search=private' }, asIs), {
      uri: 'messages://libera/%23ops',
    });
    assert.equal(objectOf({ text: 'x' }, asIs), undefined);
    assert.equal(objectOf(undefined, asIs), undefined);
  });

  test('has no secret, and a limited length', () => {
    const object = objectOf({ name: 'token-abc', id: 'x'.repeat(10_000) }, (text) => text.replace('abc', '***'));

    assert.deepEqual([object?.name, object?.id?.length], ['token-***', 200]);
  });

  test('can be stored, whatever the input is', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (input) => {
        const object = objectOf(input, asIs);
        assert.ok(object === undefined || Object.values(object).every((value) => value.isWellFormed()));
      }),
    );
  });
});
