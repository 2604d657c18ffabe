import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { detached } from './detached.ts';

test('a detached text is the same text, also with lone surrogates', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(detached(text), text)));
  assert.equal(detached(`${'x'.repeat(20)}\ud800`), `${'x'.repeat(20)}\ud800`);
});
