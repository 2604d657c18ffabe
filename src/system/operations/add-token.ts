import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { allows, type Principal, type Scope } from '../../domain/principal.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ConfiguredTokens, TokenRepository } from '../ports.ts';
import { TokenName } from '../token-view.ts';

export const addToken = operation({
  cli: {
    path: 'token add',
    positionals: ['name'],
    examples: [
      'switchboard token add ci --scopes chat:read,email:read',
      'switchboard token add ada --scopes agentmail:read,agentmail:send --agent Ada',
    ],
  },
  rest: { method: 'POST', path: '/tokens' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Makes a token for the HTTP door. It is shown this once; only its SHA-256 is kept.',
  input: z.strictObject({
    name: TokenName,
    scopes: z
      .array(z.string().regex(/^[a-z]+:(read|write|send|manage)$/, 'must be a scope like chat:read'))
      .min(1)
      .describe('What it may do: <capability>:read, write, send or manage.'),
    agent: z.string().min(1).max(128).optional().describe('Its identity in agent mail.'),
  }),
  output: z.object({
    name: z.string(),
    token: z.string(),
    scopes: z.array(z.string()),
    agent: z.string().optional(),
  }),
  async run({ name, scopes: wanted, agent }, { tokens, configuredTokens, principal, clock }: OperationContext & Parts) {
    const scopes = [...new Set(wanted)];
    assertMayGive(principal, scopes);
    const inFile = (await configuredTokens()).some((token) => token.name === name);
    if (inFile || RESERVED.has(name)) throw taken();
    const token = `swb_${randomBytes(32).toString('base64url')}`;
    const given = { name, scopes, ...(agent === undefined ? {} : { agent }) };
    if (!(await tokens.add({ ...given, hash: sha256(token), createdAt: clock.now() }))) throw taken();
    return { ...given, token };
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

function taken(): AppError {
  return new AppError('CONFLICT', 'There is a token by that name already.', {
    field: 'name',
    hint: '`switchboard token list` shows which there are.',
  });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
