import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { managedServer } from '../../../tests/support/servers/managed-fixture.ts';
import { serverInstructions } from './instructions.ts';
import { indexOffers } from './offer-index.ts';

describe('what models are told about other servers', () => {
  test('HOST-22 nothing without servers', () => {
    assert.equal(serverInstructions(indexOffers([])), undefined);
  });

  test('HOST-22 their names, and what they write about themselves, without hidden characters', () => {
    const text = serverInstructions(
      indexOffers([managedServer('art', { instructions: 'Paint\u200b only.' }), managedServer('zoo')]),
    );

    assert.match(text ?? '', /art, zoo/);
    assert.match(text ?? '', /art writes about itself: Paint/);
    assert.ok(!text?.includes('\u200b'));
    assert.doesNotMatch(text ?? '', /zoo writes/);
  });

  test('HOST-22 at most 4000 characters of it', () => {
    const text = serverInstructions(indexOffers([managedServer('art', { instructions: 'a'.repeat(10_000) })]));

    assert.equal(text?.length, 4_002);
  });
});
