import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import { localPrincipal, ownerPrincipal } from '../domain/principal.ts';
import { mayReadLetters, requireAllLetters } from './letter-access.ts';

test('reading the letters of all agents requires agentmail:read, and agentmail:manage for the token of one agent', () => {
  const agent = { agent: 'reviewer' };
  const may = [
    localPrincipal(),
    ownerPrincipal('owner'),
    tokenPrincipal('reader', ['agentmail:read']),
    tokenPrincipal('lead', ['agentmail:read', 'agentmail:manage'], agent),
  ];
  const mayNot = [
    tokenPrincipal('chatter', ['chat:read', 'chat:manage']),
    tokenPrincipal('manager', ['agentmail:manage']),
    tokenPrincipal('reviewer', ['agentmail:read', 'agentmail:write', 'agentmail:send', 'chat:read'], agent),
  ];

  assert.deepEqual(may.map(mayReadLetters), [true, true, true, true]);
  assert.deepEqual(mayNot.map(mayReadLetters), [false, false, false]);
  const confined = (...chats: string[]) => tokenPrincipal('confined', ['agentmail:read'], { chats });
  for (const principal of [...may, confined('agentmail:*')]) requireAllLetters(principal);
  for (const principal of [...mayNot, confined('hook:dev'), confined('agentmail:a1')])
    assert.throws(() => requireAllLetters(principal), { code: 'FORBIDDEN' });
});
