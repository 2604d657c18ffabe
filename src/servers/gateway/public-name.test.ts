import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { publicName } from './public-name.ts';

const serverIds = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/);
const names = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Za-z0-9_-]{1,80}$/));

describe('the names of entries of other servers', () => {
  test('HOST-22 a valid name is the server, two underscores and the name', () => {
    assert.equal(publicName('github', 'create_issue'), 'github__create_issue');
  });

  test('HOST-22 a name that is too long or has other characters ends in a hash', () => {
    assert.match(publicName('github', 'a'.repeat(80)), /^github__a{47}_[0-9a-f]{8}$/);
    assert.match(publicName('github', 'create.issue'), /^github__create_issue_[0-9a-f]{8}$/);
  });

  test('HOST-22 every name is valid, has at most 64 characters, and is always the same', () => {
    fc.assert(
      fc.property(serverIds, names, (server, name) => {
        assert.match(publicName(server, name), /^[A-Za-z0-9_-]{1,64}$/);
        assert.equal(publicName(server, name), publicName(server, name));
      }),
    );
  });

  test('HOST-22 different entries of a server have different names', () => {
    fc.assert(
      fc.property(serverIds, fc.uniqueArray(names, { minLength: 2, maxLength: 20 }), (server, all) => {
        assert.equal(new Set(all.map((name) => publicName(server, name))).size, all.length);
      }),
    );
  });
});
