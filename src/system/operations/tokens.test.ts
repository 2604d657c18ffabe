import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { assertFails } from '../../../tests/support/secrets/open-secrets.ts';
import { tokenPrincipal } from '../../../tests/support/token-principal.ts';
import { agentGrant } from '../../agentmail/token-grants.ts';
import { chatGrants } from '../../chat/token-grants.ts';
import type { AppError } from '../../domain/errors.ts';
import { answerableIdentity, ownerPrincipal, tokenPrincipal as principalOf, RIGHTS } from '../../domain/principal.ts';
import { completed } from '../../operation.ts';
import { policyGrant } from '../../outbox/token-grants.ts';
import type { StoredToken } from '../ports.ts';
import { addToken as baseAddToken } from './add-token.ts';
import { listTokens as baseListTokens } from './list-tokens.ts';
import { removeToken } from './remove-token.ts';

const capabilities = ['system', 'chat', 'email', 'agentmail', 'servers', 'claude', 'outbox'];
const declared = () => ({ capabilities, status: [], grants: [chatGrants, agentGrant, policyGrant] });

/** As the program has them, with what capabilities declare. */
const addToken = completed(baseAddToken, declared) as typeof baseAddToken;
const listTokens = completed(baseListTokens, declared) as typeof baseListTokens;

/** A store of tokens in a map, beside a configuration with one. */
function setting() {
  const kept = new Map<string, StoredToken>();
  const context = contextWith({
    tokens: {
      add: async (token: StoredToken) => !kept.has(token.name) && Boolean(kept.set(token.name, token)),
      list: async () => [...kept.values()],
      async remove({ name }: Pick<StoredToken, 'name'>, { evenLast }: { evenLast: boolean }) {
        if (!kept.has(name)) return 'unknown';
        if (kept.size === 1 && !evenLast) return 'last';
        kept.delete(name);
        return 'removed';
      },
    },
    configuredTokens: async () => [{ name: 'from-file', hash: 'f0'.repeat(32), scopes: ['email:read'] }],
    declared,
    clock: manualClock(),
  });
  return { kept, context };
}

const input = (name: string, scopes = ['chat:read']) => addToken.input.parse({ name, scopes });

const outcome = [() => 'done', ({ code }: AppError) => code] as const;

/** With fields that capabilities declare. */
const withFields = (name: string, fields: object, scopes?: string[]) => ({ ...input(name, scopes), ...fields });

describe('the operations on tokens', () => {
  test('a scope of no capability is refused, because its token could do nothing', async () => {
    const { kept, context } = setting();

    const failed = addToken.run(input('ci', ['chat:read', 'mail:read']), context);

    await assert.rejects(failed, {
      code: 'VALIDATION_ERROR',
      field: 'scopes',
      message: /^There is no capability 'mail'/,
    });
    assert.equal(kept.size, 0);
  });

  test('a new token is shown once and stored as its SHA-256', async () => {
    const { kept, context } = setting();

    const output = await addToken.run(withFields('ci', { agent: 'Ada' }, ['chat:read', 'chat:read']), context);

    assert.match(output.token, /^swb_[\w-]{43}$/);
    assert.deepEqual(kept.get('ci'), {
      name: 'ci',
      hash: createHash('sha256').update(output.token).digest('hex'),
      scopes: ['chat:read'],
      agent: 'Ada',
      createdAt: context.clock.now(),
    });
    assert.match(addToken.render?.(output) ?? '', new RegExp(`^${output.token}\n.*not shown again\\.$`));
  });

  test('two tokens are never the same', async () => {
    const { context } = setting();

    const [one, other] = [await addToken.run(input('a'), context), await addToken.run(input('b'), context)];

    assert.notEqual(one.token, other.token);
  });

  test('a name is unique among the store, the file and the reserved names', async () => {
    const { context, kept } = setting();
    await addToken.run(input('ci'), context);

    for (const name of ['ci', 'CI', 'from-file', 'owner', 'local', 'Owner', 'LOCAL']) {
      const error = await assertFails(addToken.run(input(name), context), 'CONFLICT', /by that name already/);
      assert.equal(error.field, 'name');
    }
    assert.deepEqual([...kept.keys()], ['ci']);
  });

  test('a principal cannot create a token with more rights than its own', async () => {
    const { context, kept } = setting();
    const guest = { ...context, principal: tokenPrincipal('guest', ['system:manage', 'chat:read']) };

    await addToken.run(input('same', ['chat:read']), guest);

    await assertFails(addToken.run(input('more', ['chat:read', 'chat:send']), guest), 'FORBIDDEN', /: chat:send\.$/);
    await assertFails(addToken.run(input('servers', ['servers:manage']), context), 'FORBIDDEN', /servers:manage/);
    assert.deepEqual([...kept.keys()], ['same']);
  });

  test('a token can be confined to some chats, and its messages held for approval', async () => {
    const { context, kept } = setting();

    const confined = { chats: ['ops:#dev', 'telegram:*'], send_chats: ['ops:#dev'], send: 'hold' };

    const output = await addToken.run(withFields('dev', confined), context);

    assert.partialDeepStrictEqual(output as object, confined);
    assert.partialDeepStrictEqual(kept.get('dev'), {
      chats: confined.chats,
      sendChats: confined.send_chats,
      policy: { send: 'hold' },
    });
    const listed = await listTokens.run({}, context);
    assert.partialDeepStrictEqual(listed.tokens[1] as object, confined);
    assert.match(listTokens.render?.(listed) ?? '', /\ndev \(store\): chat:read; only ops:#dev, telegram:\*$/);
  });

  test('a confined token creates only tokens with the same confinement', async () => {
    const { context, kept } = setting();
    const scopes = ['system:manage', 'chat:read'];
    const reader = {
      ...context,
      principal: tokenPrincipal('r', scopes, { chats: ['ops:*'], sendChats: ['ops:#dev'] }),
    };
    const held = { ...context, principal: tokenPrincipal('h', scopes, { policy: { send: 'hold' } }) };
    const add = (facts: object, by = reader) => addToken.run({ ...input('new'), ...facts }, by);

    for (const [facts, field] of [
      [{}, 'chats'],
      [{ chats: ['telegram:*'] }, 'chats'],
      [{ chats: ['ops:#dev', 'ops:#ops'] }, 'send_chats'],
      [{ chats: ['ops:#ops'], send_chats: ['ops:*'] }, 'send_chats'],
    ] as const) {
      assert.equal((await assertFails(add(facts), 'FORBIDDEN', /less confined/)).field, field);
    }
    assert.equal((await assertFails(add({ send: 'hold' }, held), 'FORBIDDEN', /less confined/)).field, 'send');
    await add({ chats: ['ops:#ops'], send_chats: [] });

    assert.deepEqual([...kept.keys()], ['new']);
  });

  test('over all sets of scopes: a token is made and removed only by one that has all of its scopes', async () => {
    const scopes = ['system', 'chat', 'servers'].flatMap((name) => RIGHTS.map((right) => `${name}:${right}`));
    await fc.assert(
      fc.asyncProperty(fc.subarray(scopes), fc.subarray(scopes, { minLength: 1 }), async (held, wanted) => {
        const { context, kept } = setting();
        const holder = { ...context, principal: tokenPrincipal('holder', held) };
        const owner = { ...context, principal: ownerPrincipal('f'.repeat(64)) };
        await addToken.run(input('strong', wanted), owner);
        await addToken.run(input('other'), owner);

        const added = await addToken.run(input('new', wanted), holder).then(...outcome);
        const removed = await removeToken.run({ name: 'strong' }, holder).then(...outcome);

        const expected = wanted.every((scope) => held.includes(scope)) ? 'done' : 'FORBIDDEN';
        assert.deepEqual([added, removed], [expected, expected]);
        assert.deepEqual([kept.has('new'), kept.has('strong')], [expected === 'done', expected !== 'done']);
      }),
    );
  });

  test('a token that another one makes names its makers, and a long row of them ends', async () => {
    const { context, kept } = setting();
    let maker = context;
    const row = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of row) {
      await addToken.run(input(name), maker);
      maker = { ...context, principal: principalOf(kept.get(name) as StoredToken) };
    }

    const hashes = row.map((name) => kept.get(name)?.hash);
    assert.equal(kept.get('a')?.madeBy, undefined);
    assert.deepEqual(kept.get('c')?.madeBy, hashes.slice(0, 2));
    assert.equal(answerableIdentity(maker.principal), hashes[0]);
    await assertFails(addToken.run(input('g'), maker), 'FORBIDDEN', /too many/);
  });

  test('an agent is given by its own token, or with agentmail:manage', async () => {
    const { context, kept } = setting();
    const by = (facts: object, ...scopes: string[]) => ({
      ...context,
      principal: tokenPrincipal('maker', ['agentmail:read', ...scopes], facts),
    });
    const add = (name: string, agent: object, maker: ReturnType<typeof by>) =>
      addToken.run(withFields(name, agent, ['agentmail:read']), maker);

    for (const [given, held] of [
      [{ agent: 'Bob' }, {}],
      [{ agent: 'Bob' }, { agent: 'Ada' }],
      [{}, { agent: 'Ada' }],
    ]) {
      await assertFails(add('x', given ?? {}, by(held ?? {})), 'FORBIDDEN', /: agent\.$/);
    }
    await add('same', { agent: 'Ada' }, by({ agent: 'Ada' }));
    await add('managed', { agent: 'Bob' }, by({}, 'agentmail:manage'));

    assert.deepEqual([...kept.keys()], ['same', 'managed']);
  });

  test('a token can remove itself, but only the owner removes the last one', async () => {
    const { context, kept } = setting();
    const made = [await addToken.run(input('a'), context), await addToken.run(input('b'), context)];
    const [a, b] = made.map(({ name }) => ({
      ...context,
      principal: principalOf({ ...(kept.get(name) as StoredToken), policy: { send: 'hold' } }),
    }));
    assert(a && b);

    await removeToken.run({ name: 'a' }, a);
    await assertFails(removeToken.run({ name: 'b' }, b), 'FORBIDDEN', /last token/);
    await removeToken.run({ name: 'b' }, context);

    assert.equal(kept.size, 0);
  });

  test('invalid names and scopes are refused', () => {
    const refused = [
      { name: '', scopes: ['chat:read'] },
      { name: 'a b', scopes: ['chat:read'] },
      { name: '-x', scopes: ['chat:read'] },
      { name: 'x'.repeat(65), scopes: ['chat:read'] },
      { name: 'ci', scopes: [] },
      { name: 'ci', scopes: ['chat'] },
      { name: 'ci', scopes: ['*'] },
      { name: 'ci', scopes: ['chat:everything'] },
      { name: 'ci', scopes: ['chat:read'], chats: ['#dev'] },
      { name: 'ci', scopes: ['chat:read'], chats: ['*:*'] },
      { name: 'ci', scopes: ['chat:read'], send: 'perhaps' },
    ].filter((each) => addToken.input.safeParse(each).success);

    assert.deepEqual(refused, []);
  });

  test('the list has the tokens of the file and of the store, without their hashes', async () => {
    const { context } = setting();
    await addToken.run(input('ci'), context);

    const output = await listTokens.run({}, context);

    const created_at = new Date(context.clock.now()).toISOString();
    assert.deepEqual(output.tokens, [
      { name: 'from-file', scopes: ['email:read'], origin: 'file' },
      { name: 'ci', scopes: ['chat:read'], origin: 'store', created_at },
    ]);
    assert.equal(listTokens.render?.(output), 'from-file (file): email:read\nci (store): chat:read');
    assert.equal(listTokens.render?.({ tokens: [] }), 'There is no token.');
  });

  test('only tokens of the store can be removed, and others are refused with the reason', async () => {
    const { context, kept } = setting();
    await addToken.run(input('ci'), context);

    const output = await removeToken.run({ name: 'ci' }, context);

    assert.equal(removeToken.render?.(output), 'Removed the token ci.');
    assert.equal(kept.size, 0);
    await assertFails(removeToken.run({ name: 'ci' }, context), 'NOT_FOUND', /no token by that name/);
    await assertFails(removeToken.run({ name: 'from-file' }, context), 'CONFLICT', /configuration file/);
  });
});
