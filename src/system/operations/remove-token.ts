import { z } from 'zod';
import type { Declared } from '../../capability.ts';
import { AppError } from '../../domain/errors.ts';
import { isOwner } from '../../domain/principal.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ConfiguredTokens, TokenRepository } from '../ports.ts';
import { assertCovers } from '../token-rights.ts';
import { TokenName } from '../token-view.ts';

export const removeToken = operation({
  cli: { path: 'token remove', positionals: ['name'], examples: ['switchboard token remove ci'] },
  rest: { method: 'DELETE', path: '/tokens/:name' },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  description: 'Removes a token. Clients that use it are rejected immediately.',
  input: z.strictObject({ name: TokenName }),
  output: z.object({ name: z.string() }),
  async run({ name }, context: OperationContext & Parts) {
    const { tokens, configuredTokens, declared, principal } = context;
    const found = (await tokens.list()).find((token) => token.name === name);
    if (!found) throw await notInStore(name, configuredTokens);
    const { hash, scopes, createdAt, ...facts } = found;
    const isOwn = hash === principal.identity;
    if (!isOwn) await assertCovers(context, { scopes, facts }, declared().grants, 'remove');
    // Without any token the server asks for none after its next start, and its clients would have all rights.
    const outcome = await tokens.remove({ name, hash }, { evenLast: isOwner(principal) });
    if (outcome === 'last') {
      throw new AppError('FORBIDDEN', 'Only the owner may remove the last token.', {
        field: 'name',
        hint: `Run this on the machine of Switchboard: switchboard token remove ${name}`,
      });
    }
    if (outcome === 'unknown') throw await notInStore(name, configuredTokens);
    return { name };
  },
  render: ({ name }) => `Removed the token ${name}.`,
});

async function notInStore(name: string, configuredTokens: ConfiguredTokens): Promise<AppError> {
  if ((await configuredTokens()).some((token) => token.name === name)) {
    return new AppError('CONFLICT', 'This token is in the configuration file, which is only read.', {
      field: 'name',
      hint: 'Take it out of auth.tokens there; `switchboard config path` says where the file is.',
    });
  }
  return new AppError('NOT_FOUND', 'There is no token by that name.', {
    field: 'name',
    hint: '`switchboard token list` shows which there are.',
  });
}

interface Parts {
  declared(): Declared;
  tokens: TokenRepository;
  configuredTokens: ConfiguredTokens;
}
