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

describe('the principal of a token', () => {
  test('CHAT-28 the user, with all rights', async () => {
    const admission = await createAuth(SETTINGS).admit('Bearer the-owner');

    assert.ok(admission.kind === 'admitted');
    assert.equal(admission.principal.name, 'owner');
    assert.ok(allows(admission.principal, 'servers:manage'));
  });

  test('a principal with a name, scopes and optionally an agent', async () => {
    const auth = createAuth(SETTINGS);

    assert.partialDeepStrictEqual(await auth.admit('Bearer ci-token'), { principal: { kind: 'token', name: 'ci' } });
    assert.partialDeepStrictEqual(await auth.admit('bearer   agent-token '), {
      principal: { name: 'agent', agent: 'Ada' },
    });
  });

  test('CHAT-27 none without a token if one is required', async () => {
    const auth = createAuth(SETTINGS);

    assert.equal(await auth.required(), true);
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic dGhlLW93bmVy', 'the-owner', 'Bearer a b']) {
      assert.deepEqual(await auth.admit(header), { kind: 'refused', reason: 'missing' }, header);
    }
  });

  test('CHAT-27 none for a token that is unknown, nearly right, or the hash itself', async () => {
    const auth = createAuth(SETTINGS);

    for (const token of ['x', 'the-owne', 'the-owner1', 'The-owner', 'abc', sha256('ci-token')]) {
      assert.deepEqual(await auth.admit(`Bearer ${token}`), { kind: 'refused', reason: 'unknown' }, token);
    }
  });

  test('the local user where no token is configured, with the configured additional scopes', async () => {
    const auth = createAuth({ tokens: [], localScopes: ['servers:manage'] });
    const admission = await auth.admit(undefined);

    assert.equal(await auth.required(), false);
    assert.ok(admission.kind === 'admitted' && allows(admission.principal, 'servers:manage'));
  });

  test('none if the only configured token is broken: that must not open the server', async () => {
    const auth = createAuth({ tokens: [{ name: 'broken', hash: '', scopes: [] }], localScopes: [] });

    assert.equal(await auth.required(), true);
    assert.equal((await auth.admit(undefined)).kind, 'refused');
    assert.equal((await auth.admit('Bearer x')).kind, 'refused');
  });

  test('none for any other header', async () => {
    const auth = createAuth(SETTINGS);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        assert.equal((await auth.admit(text)).kind, 'refused');
        assert.equal((await auth.admit(`Bearer ${text}`)).kind, 'refused');
      }),
    );
  });

  test('a token just added, until it is removed', async () => {
    const stored = [{ name: 'late', hash: sha256('late-token'), scopes: ['chat:read'] }];
    const auth = createAuth(SETTINGS, async () => stored);

    const before = await auth.admit('Bearer late-token');
    stored.pop();
    const afterwards = await auth.admit('Bearer late-token');

    assert.partialDeepStrictEqual(before, { kind: 'admitted', principal: { name: 'late' } });
    assert.deepEqual(afterwards, { kind: 'refused', reason: 'unknown' });
    assert.equal((await auth.admit('Bearer ci-token')).kind, 'admitted');
  });

  test('another principal after the configuration changed, and changed tokens are named', async () => {
    const auth = createAuth(SETTINGS);
    const [ci, ...others] = SETTINGS.tokens;
    assert.ok(ci);

    const changed = auth.change({ ...SETTINGS, owner: 'another', tokens: [{ ...ci, scopes: [] }, ...others] });
    const [old, next] = [await auth.admit('Bearer the-owner'), await auth.admit('Bearer another')];

    assert.deepEqual(changed, ['owner', 'ci']);
    assert.deepEqual([old.kind, next.kind], ['refused', 'admitted']);
  });

  test('none after the configuration lost its last token: that must not open the server', async () => {
    const auth = createAuth(SETTINGS);

    auth.change({ tokens: [], localScopes: [] });

    assert.deepEqual(await auth.admit(undefined), { kind: 'refused', reason: 'missing' });
  });

  test('none after the last token was removed: that must not open the server', async () => {
    const stored = [{ name: 'only', hash: sha256('only-token'), scopes: ['chat:read'] }];
    const auth = createAuth({ tokens: [], localScopes: [] }, async () => stored);

    const required = await auth.required();
    stored.pop();

    assert.equal(required, true);
    assert.equal(await auth.required(), true);
    assert.deepEqual(await auth.admit('Bearer only-token'), { kind: 'refused', reason: 'unknown' });
    assert.deepEqual(await auth.admit(undefined), { kind: 'refused', reason: 'missing' });
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
