import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { isGrant, isWithin, readGrants, sendGrants } from '../../domain/grants.ts';
import { allows, type Principal, type Scope, type TokenFacts, tokenFacts } from '../../domain/principal.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ConfiguredTokens, TokenRepository } from '../ports.ts';
import { TokenFactsView, TokenName, toFactsView } from '../token-view.ts';

const chatList = () =>
  z.array(z.string().max(512).refine(isGrant, 'must be SOURCE:CHAT, such as ops:#dev, or SOURCE:*')).optional();

export const addToken = operation({
  cli: {
    path: 'token add',
    positionals: ['name'],
    examples: [
      'switchboard token add ci --scopes chat:read,outbox:read',
      'switchboard token add ada --scopes agentmail:read,agentmail:send --agent Ada',
      "switchboard token add dev --scopes chat:read,chat:send --chats 'ops:#dev,telegram:*' --send-chats 'ops:#dev'",
    ],
  },
  rest: { method: 'POST', path: '/tokens' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Creates a token for HTTP. It is shown only once; only its SHA-256 is stored.',
  input: z.strictObject({
    name: TokenName,
    scopes: z
      .array(z.string().regex(/^[a-z]+:(read|write|send|manage)$/, 'must be a scope like chat:read'))
      .min(1)
      .describe('Scopes: <capability>:read, write, send or manage.'),
    agent: z.string().min(1).max(128).optional().describe('Its identity in agent mail.'),
    chats: chatList().describe(
      'Chats it may read and send to: SOURCE:CHAT (id or complete name) or SOURCE:*. Default: all.',
    ),
    send_chats: chatList().describe('Chats it may send to. Default: the same as chats.'),
    send: TokenFactsView.send.describe('Whether its messages are sent, held for approval, or refused.'),
  }),
  output: z.object({ name: z.string(), token: z.string(), scopes: z.array(z.string()), ...TokenFactsView }),
  async run(input, { tokens, configuredTokens, principal, clock }: OperationContext & Parts) {
    const { name } = input;
    const scopes = [...new Set(input.scopes)];
    const facts = tokenFacts({
      agent: input.agent,
      chats: input.chats,
      sendChats: input.send_chats,
      policy: input.send && { send: input.send },
    });
    assertMayGive(principal, scopes);
    assertConfined(principal, facts);
    const inFile = (await configuredTokens()).some((token) => token.name === name);
    if (inFile || RESERVED.has(name)) throw taken();
    const token = `swb_${randomBytes(32).toString('base64url')}`;
    if (!(await tokens.add({ name, scopes, ...facts, hash: sha256(token), createdAt: clock.now() }))) throw taken();
    return { name, scopes, ...toFactsView(facts), token };
  },
  render: ({ name, token }) => `${token}\nThis is the token ${name}. It is not shown again.`,
});

interface Parts {
  tokens: TokenRepository;
  configuredTokens: ConfiguredTokens;
  clock: Clock;
}

/** What the log calls those who come in without a token of their own. */
const RESERVED: ReadonlySet<string> = new Set(['owner', 'local']);

/** Nobody gives away what they do not have. */
function assertMayGive(principal: Principal, scopes: readonly string[]): void {
  const lacking = scopes.filter((scope) => !allows(principal, scope as Scope));
  if (lacking.length === 0) return;
  throw new AppError('FORBIDDEN', `You may not give a scope that you do not have: ${lacking.join(', ')}.`, {
    field: 'scopes',
  });
}

/** Nor does a token that is confined make one that is not. */
function assertConfined(principal: Principal, facts: TokenFacts): void {
  const { chats, sendChats = chats, policy } = facts;
  const checks = {
    chats: isWithin(chats, readGrants(principal)),
    send_chats: isWithin(sendChats, sendGrants(principal)),
    send: principal.policy === undefined || policy?.send === 'deny',
  };
  for (const [field, passed] of Object.entries(checks)) {
    if (passed) continue;
    throw new AppError('FORBIDDEN', `You may not give a token that is less confined than your own: ${field}.`, {
      field,
    });
  }
}

function taken(): AppError {
  return new AppError('CONFLICT', 'There is a token by that name already.', {
    field: 'name',
    hint: '`switchboard token list` shows which there are.',
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
