import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { managedServer } from '../../../tests/support/servers/managed-fixture.ts';
import { serverIntroduction } from './instructions.ts';
import { indexOffers } from './offer-index.ts';

describe('what models are told about other servers', () => {
  test('HOST-22 nothing without servers', () => {
    assert.equal(serverIntroduction(indexOffers([])), undefined);
  });

  test('HOST-22 their names, and what they write about themselves', () => {
    const introduction = serverIntroduction(
      indexOffers([managedServer('art', { instructions: 'Paint only.' }), managedServer('zoo')]),
    );

    assert.deepEqual(introduction?.names, ['art', 'zoo']);
    assert.deepEqual(introduction?.quotes, [{ by: 'art', text: 'Paint only.' }]);
  });
});
