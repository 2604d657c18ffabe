import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { allows } from '../domain/principal.ts';
import { type AuthSettings, createAuth } from './tokens.ts';

const SETTINGS: AuthSettings = {
  owner: 'the-owner',
  tokens: [
    { name: 'ci', hash: sha256('ci-token'), scopes: ['chat:read'] },
    { name: 'agent', hash: sha256('agent-token').toUpperCase(), scopes: [], agent: 'Ada' },
    { name: 'broken', hash: 'abc', scopes: ['chat:read'] },
  ],
  localScopes: [],
};

describe('who a token stands for', () => {
  test('CHAT-28 the owner, who may do everything', () => {
    const admission = createAuth(SETTINGS).admit('Bearer the-owner');

    assert.ok(admission.kind === 'admitted');
    assert.equal(admission.principal.name, 'owner');
    assert.ok(allows(admission.principal, 'servers:manage'));
  });

  test('somebody with a name, scopes and perhaps an identity', () => {
    const auth = createAuth(SETTINGS);

    assert.partialDeepStrictEqual(auth.admit('Bearer ci-token'), { principal: { kind: 'token', name: 'ci' } });
    assert.partialDeepStrictEqual(auth.admit('bearer   agent-token '), { principal: { name: 'agent', agent: 'Ada' } });
  });

  test('CHAT-27 nobody without one where one is needed', () => {
    const auth = createAuth(SETTINGS);

    assert.equal(auth.required, true);
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic dGhlLW93bmVy', 'the-owner', 'Bearer a b']) {
      assert.deepEqual(auth.admit(header), { kind: 'refused', reason: 'missing' }, header);
    }
  });

  test('CHAT-27 nobody whose token is not known, nearly right, or the hash itself', () => {
    const auth = createAuth(SETTINGS);

    for (const token of ['x', 'the-owne', 'the-owner1', 'The-owner', 'abc', sha256('ci-token')]) {
      assert.deepEqual(auth.admit(`Bearer ${token}`), { kind: 'refused', reason: 'unknown' }, token);
    }
  });

  test('the local user where no token is configured, with what the configuration adds', () => {
    const auth = createAuth({ tokens: [], localScopes: ['servers:manage'] });
    const admission = auth.admit(undefined);

    assert.equal(auth.required, false);
    assert.ok(admission.kind === 'admitted' && allows(admission.principal, 'servers:manage'));
  });

  test('nobody where the only token is broken: that is no reason to let everybody in', () => {
    const auth = createAuth({ tokens: [{ name: 'broken', hash: '', scopes: [] }], localScopes: [] });

    assert.equal(auth.required, true);
    assert.equal(auth.admit(undefined).kind, 'refused');
    assert.equal(auth.admit('Bearer x').kind, 'refused');
  });

  test('nobody for any other header at all', () => {
    const auth = createAuth(SETTINGS);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(auth.admit(text).kind, 'refused');
        assert.equal(auth.admit(`Bearer ${text}`).kind, 'refused');
      }),
    );
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
