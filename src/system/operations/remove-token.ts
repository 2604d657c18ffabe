import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { operation } from '../../operation.ts';
import type { ConfiguredTokens, TokenRepository } from '../ports.ts';
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
  async run({ name }, { tokens, configuredTokens }: Parts) {
    if (await tokens.remove(name)) return { name };
    if ((await configuredTokens()).some((token) => token.name === name)) {
      throw new AppError('CONFLICT', 'This token is in the configuration file, which is only read.', {
        field: 'name',
        hint: 'Take it out of auth.tokens there; `switchboard config path` says where the file is.',
      });
    }
    throw new AppError('NOT_FOUND', 'There is no token by that name.', {
      field: 'name',
      hint: '`switchboard token list` shows which there are.',
    });
  },
  render: ({ name }) => `Removed the token ${name}.`,
});

interface Parts {
  tokens: TokenRepository;
  configuredTokens: ConfiguredTokens;
}
