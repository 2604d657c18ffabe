import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Declared, factsFrom, type Grant } from '../../capability.ts';
import { AppError } from '../../domain/errors.ts';
import { allows, type Principal, type Scope, type TokenFacts } from '../../domain/principal.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ConfiguredTokens, TokenRepository } from '../ports.ts';
import { fieldsOf, TokenName, toFields } from '../token-view.ts';

const Options = z.strictObject({
  name: TokenName,
  scopes: z
    .array(z.string().regex(/^[a-z]+:(read|write|send|manage)$/, 'must be a scope like chat:read'))
    .min(1)
    .describe('Scopes: <capability>:read, write, send or manage.'),
});
const Added = z.object({ name: z.string(), token: z.string(), scopes: z.array(z.string()) });

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
  confined: true,
  description: 'Creates a token for HTTP. It is shown only once; only its SHA-256 is stored.',
  input: Options,
  output: Added,
  async run({ name, ...given }, { tokens, configuredTokens, declared, principal, clock }: OperationContext & Parts) {
    const { grants } = declared();
    const scopes = [...new Set(given.scopes)];
    const facts = factsFrom(grants, given);
    assertMayGive(principal, scopes);
    assertConfined(principal, facts, grants);
    const inFile = (await configuredTokens()).some((token) => token.name === name);
    if (inFile || RESERVED.has(name)) throw taken();
    const token = `swb_${randomBytes(32).toString('base64url')}`;
    if (!(await tokens.add({ name, scopes, ...facts, hash: sha256(token), createdAt: clock.now() }))) throw taken();
    return { name, scopes, ...toFields(grants, facts), token };
  },
  complete: ({ grants }) => ({
    input: Options.extend(Object.assign({}, ...grants.map(({ options }) => options))),
    output: Added.extend(fieldsOf(grants)),
  }),
  render: ({ name, token }) => `${token}\nThis is the token ${name}. It is not shown again.`,
});

interface Parts {
  declared(): Declared;
  tokens: TokenRepository;
  configuredTokens: ConfiguredTokens;
  clock: Clock;
}

/** Names that the log uses for principals without a token from this list. */
const RESERVED: ReadonlySet<string> = new Set(['owner', 'local']);

/** A caller cannot grant rights that it does not have. */
function assertMayGive(principal: Principal, scopes: readonly string[]): void {
  const lacking = scopes.filter((scope) => !allows(principal, scope as Scope));
  if (lacking.length === 0) return;
  throw new AppError('FORBIDDEN', `You may not give a scope that you do not have: ${lacking.join(', ')}.`, {
    field: 'scopes',
  });
}

/** A confined token cannot create an unconfined one either. */
function assertConfined(principal: Principal, facts: TokenFacts, grants: readonly Grant[]): void {
  for (const grant of grants) {
    const field = grant.exceeded?.(facts, principal);
    if (field === undefined) continue;
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
