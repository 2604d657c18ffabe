import { z } from 'zod';
import { operation } from '../../operation.ts';
import { SecretGroup, SecretName } from '../secret-fields.ts';
import type { SecretsPort } from '../secrets-port.ts';

export const setSecret = operation({
  cli: {
    path: 'secret set',
    positionals: ['name'],
    stdin: 'value',
    alone: true,
    examples: [
      'switchboard secret set TELEGRAM_API_HASH < hash.txt',
      'pass show github | switchboard secret set GITHUB_TOKEN --group server/github',
    ],
  },
  rest: { method: 'PUT', path: '/secrets/:name' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  // Any part of the configuration may refer to it, the owner's token included.
  ownerOnly: true,
  idempotent: true,
  description: 'Stores or replaces a secret, encrypted. The configuration refers to it by its name.',
  input: z.strictObject({
    name: SecretName,
    value: z.string().min(1).describe('Value of the secret.'),
    group: SecretGroup.default('shared'),
  }),
  output: z.object({ group: z.string(), name: z.string() }),
  async run({ group, name, value }, { secrets }: { secrets: SecretsPort }) {
    await secrets.set(group, name, value);
    return { group, name };
  },
  render: ({ group, name }) => `Stored ${name} (${group}).`,
});
