import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Declared, factsFrom } from '../../capability.ts';
import { AppError } from '../../domain/errors.ts';
import {
  HUMAN_SCOPE,
  isOwner,
  isScope,
  type Principal,
  type TokenFacts,
  unknownCapability,
} from '../../domain/principal.ts';
import type { Clock } from '../../lib/clock.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ConfiguredTokens, TokenRepository } from '../ports.ts';
import { assertCovers } from '../token-rights.ts';
import { fieldsOf, TokenName, toFields } from '../token-view.ts';

const Options = z.strictObject({
  name: TokenName,
  scopes: z
    .array(z.string().refine(isScope, 'must be a scope like chat:read'))
    .min(1)
    .describe('Scopes: <capability>:read, write, send or manage; human to speak as the user.'),
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
  async run({ name, ...given }, context: OperationContext & Parts) {
    const { tokens, configuredTokens, declared, clock } = context;
    const { grants, capabilities } = declared();
    const scopes = [...new Set(given.scopes)];
    const unknown = unknownCapability(scopes, capabilities);
    if (unknown !== undefined) throw noSuchCapability(unknown, capabilities);
    const facts = factsFrom(grants, given);
    if (scopes.includes(HUMAN_SCOPE) && facts.agent !== undefined) throw agentsToken();
    await assertCovers(context, { scopes, facts }, grants, 'give');
    const known = [...(await configuredTokens()), ...(await tokens.list())].map((token) => token.name);
    if ([...RESERVED, ...known].some((other) => isSameName(other, name))) throw taken();
    const token = `swb_${randomBytes(32).toString('base64url')}`;
    const made = { name, scopes, ...facts, ...madeBy(context.principal), hash: sha256(token), createdAt: clock.now() };
    if (!(await tokens.add(made))) throw taken();
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
const RESERVED = ['owner', 'local'];

/** Names that differ only in case cannot be told apart in a log. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Tokens that make tokens that make tokens, at most. */
const MAX_MAKERS = 5;

function madeBy({ madeBy: makers = [], identity, ...principal }: Principal): Pick<TokenFacts, 'madeBy'> {
  if (isOwner({ identity, ...principal })) return {};
  if (makers.length < MAX_MAKERS) return { madeBy: [...makers, identity] };
  throw new AppError('FORBIDDEN', 'This token was made by too many others to make one itself.', {
    hint: 'Use the token of auth.token, or run the command on the machine of Switchboard.',
  });
}

/** A token with a misspelt scope would be made, and then refused everywhere. */
function noSuchCapability(name: string, capabilities: readonly string[]): AppError {
  return new AppError('VALIDATION_ERROR', `There is no capability '${name}', with which a scope begins.`, {
    field: 'scopes',
    hint: `There are: ${capabilities.join(', ')}.`,
  });
}

function agentsToken(): AppError {
  return new AppError('VALIDATION_ERROR', 'A token of an agent cannot have the scope human.', {
    field: 'scopes',
    hint: 'Make two tokens: one for the agent, one for the user.',
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
