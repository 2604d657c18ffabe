import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { operation } from '../../operation.ts';
import { SecretGroup, SecretName } from '../secret-fields.ts';
import type { SecretsPort } from '../secrets-port.ts';

export const deleteSecret = operation({
  cli: {
    path: 'secret delete',
    positionals: ['name'],
    alone: true,
    examples: ['switchboard secret delete TELEGRAM_API_HASH'],
  },
  rest: { method: 'DELETE', path: '/secrets/:name' },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  ownerOnly: true,
  description: 'Deletes a stored secret.',
  input: z.strictObject({ name: SecretName, group: SecretGroup.default('shared') }),
  output: z.object({ group: z.string(), name: z.string() }),
  async run({ group, name }, { secrets }: { secrets: SecretsPort }) {
    if (await secrets.delete(group, name)) return { group, name };
    throw new AppError('NOT_FOUND', 'There is no such secret in this group.', {
      field: 'name',
      hint: '`switchboard secret list` shows what there is.',
    });
  },
  render: ({ group, name }) => `Deleted ${name} (${group}).`,
});
