import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { Conversation } from '../domain/conversation.ts';
import { allows, isOwner } from '../domain/principal.ts';
import { principalOf } from './conversation-principal.ts';

const tools = { capabilities: () => ['chat', 'servers'] };
const conversation = (facts: Partial<Conversation>) =>
  ({ owner: 'local', identity: 'local', answersTo: 'local', isOwners: true, ...facts }) as Conversation;

test('Claude acts for the owner without managing anything, and without being the owner', async () => {
  const principal = await principalOf(conversation({}), { tools, tokenOf: async () => undefined });

  assert.deepEqual([principal.kind, principal.name, isOwner(principal)], ['local', 'local', false]);
  assert.deepEqual([...principal.scopes].toSorted(), [
    'chat:read',
    'chat:send',
    'chat:write',
    'servers:read',
    'servers:send',
    'servers:write',
  ]);
  assert.equal(allows(principal, 'human'), false);
});

test('Claude acts for a token with the rights that the token has now', async () => {
  const token = tokenPrincipal('bot', ['chat:read', 'chat:manage', 'human'], { policy: { send: 'hold' } });
  const facts = { owner: 'bot', identity: token.identity, answersTo: token.identity, isOwners: false };

  const principal = await principalOf(conversation(facts), { tools, tokenOf: async () => token });

  assert.deepEqual([...principal.scopes], ['chat:read']);
  assert.deepEqual([principal.identity, principal.policy], [token.identity, { send: 'hold' }]);
});

test('Claude acts for no token that was removed, or replaced by another one of its name', async () => {
  const facts = { owner: 'bot', identity: 'a', answersTo: 'a', isOwners: false };
  const another = tokenPrincipal('bot', ['chat:read']);

  for (const found of [undefined, another]) {
    await assert.rejects(principalOf(conversation(facts), { tools, tokenOf: async () => found }), {
      code: 'FORBIDDEN',
    });
  }
});
