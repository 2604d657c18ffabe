import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { allows, type KnownToken, type Principal } from '../domain/principal.ts';
import { type Auth, type AuthSettings, createAuth } from './tokens.ts';

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
    await auth.judgeAgain();
    const afterwards = await auth.admit('Bearer late-token');

    assert.partialDeepStrictEqual(before, { kind: 'admitted', principal: { name: 'late' } });
    assert.deepEqual(afterwards, { kind: 'refused', reason: 'unknown' });
    assert.equal((await auth.admit('Bearer ci-token')).kind, 'admitted');
  });

  test('another principal after the configuration changed', async () => {
    const auth = createAuth(SETTINGS);

    await auth.change({ ...SETTINGS, owner: 'another' });
    const [old, next] = [await auth.admit('Bearer the-owner'), await auth.admit('Bearer another')];

    assert.deepEqual([old.kind, next.kind], ['refused', 'admitted']);
  });

  test('none after the configuration lost its last token: that must not open the server', async () => {
    const auth = createAuth(SETTINGS);

    await auth.change({ tokens: [], localScopes: [] });

    assert.deepEqual(await auth.admit(undefined), { kind: 'refused', reason: 'missing' });
  });

  test('none after the last token was removed: that must not open the server', async () => {
    const stored = [{ name: 'only', hash: sha256('only-token'), scopes: ['chat:read'] }];
    const auth = createAuth({ tokens: [], localScopes: [] }, async () => stored);

    const required = await auth.required();
    stored.pop();
    await auth.judgeAgain();

    assert.equal(required, true);
    assert.equal(await auth.required(), true);
    assert.deepEqual(await auth.admit('Bearer only-token'), { kind: 'refused', reason: 'unknown' });
    assert.deepEqual(await auth.admit(undefined), { kind: 'refused', reason: 'missing' });
  });
});

describe('the rights of an admitted principal', () => {
  const stored: KnownToken[] = [];
  const ci = { name: 'ci', hash: sha256('ci-token'), scopes: ['chat:read', 'chat:send'] };
  const settings: AuthSettings = { owner: 'the-owner', tokens: [ci], localScopes: [] };

  test('hold while the token and its rights stay the same', async () => {
    const auth = createAuth(settings);
    const owner = await admitted(auth, 'the-owner');
    const token = await admitted(auth, 'ci-token');

    await auth.change({ ...settings, tokens: [{ ...ci, scopes: [...ci.scopes] }] });
    await auth.judgeAgain();

    assert.equal(await admitted(auth, 'ci-token'), token);
    assert.deepEqual([allows(owner, 'chat:read'), allows(token, 'chat:read')], [true, true]);
  });

  for (const [change, next] of Object.entries({
    narrowed: { ...settings, tokens: [{ ...ci, scopes: ['chat:read'] }] },
    widened: { ...settings, tokens: [{ ...ci, scopes: [...ci.scopes, 'system:manage'] }] },
    confined: { ...settings, tokens: [{ ...ci, chats: ['ops:#dev'] }] },
    removed: { ...settings, tokens: [] },
    'remade under the same name': { ...settings, tokens: [{ ...ci, hash: sha256('another') }] },
  })) {
    test(`are revoked when it is ${change}, and nobody else's`, async () => {
      const auth = createAuth(settings);
      const owner = await admitted(auth, 'the-owner');
      const token = await admitted(auth, 'ci-token');

      await auth.change(next);

      assert.deepEqual([token.revoked?.aborted, owner.revoked?.aborted], [true, false]);
      assert.deepEqual([allows(token, 'chat:read'), allows(owner, 'chat:read')], [false, true]);
    });
  }

  test('are revoked for the local user when the first token is set', async () => {
    const auth = createAuth({ tokens: [], localScopes: [] }, async () => stored);
    const local = await admitted(auth, '');

    stored.push(ci);
    await auth.judgeAgain();

    assert.equal(local.revoked?.aborted, true);
    assert.equal(allows(local, 'chat:read'), false);
  });

  test('are revoked when tokens cannot be read', async () => {
    const token = { ...ci, hash: sha256('late-token') };
    let readable = true;
    const auth = createAuth(settings, async () => (readable ? [token] : Promise.reject(new Error('no store'))));
    const late = await admitted(auth, 'late-token');

    readable = false;
    await auth.judgeAgain();

    assert.equal(allows(late, 'chat:read'), false);
  });

  test('of a token that another one made end with those of its maker', async () => {
    const made = { name: 'made', hash: sha256('made-token'), scopes: ['chat:read'], madeBy: [ci.hash] };
    const covers = async (maker: Principal, { scopes }: Principal) =>
      [...scopes].every((scope) => maker.scopes.has(scope));
    const auth = createAuth(settings, async () => [made], covers);
    const before = await admitted(auth, 'made-token');

    await auth.change({ ...settings, tokens: [{ ...ci, scopes: ['chat:send'] }] });
    const narrowed = await auth.admit('Bearer made-token');
    await auth.change(settings);
    const again = await admitted(auth, 'made-token');
    await auth.change({ ...settings, tokens: [] });
    const removed = await auth.admit('Bearer made-token');

    assert.deepEqual([before.revoked?.aborted, again.revoked?.aborted], [true, true]);
    assert.deepEqual([narrowed.kind, removed.kind], ['refused', 'refused']);
  });

  test('are those after a change that was made while the request was admitted', async () => {
    const reads = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let tokens: KnownToken[] = [{ ...ci, hash: sha256('late-token') }];
    let count = 0;
    const auth = createAuth({ ...settings, tokens: [] }, async () => {
      const read = tokens;
      await reads[count++]?.promise;
      return read;
    });

    const admission = auth.admit('Bearer late-token');
    tokens = [];
    const judged = auth.judgeAgain();
    for (const read of reads) read.resolve();
    await judged;

    assert.equal((await admission).kind, 'refused');
  });
});

async function admitted(auth: Auth, token: string): Promise<Principal> {
  const admission = await auth.admit(`Bearer ${token}`);
  assert(admission.kind === 'admitted');
  return admission.principal;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
