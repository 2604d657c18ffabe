import { z } from 'zod';
import { operation } from '../../operation.ts';
import { SecretGroup } from '../secret-fields.ts';
import type { SecretsPort } from '../secrets-port.ts';

export const listSecrets = operation({
  cli: {
    path: 'secret list',
    alone: true,
    examples: ['switchboard secret list', 'switchboard secret list --group server/github'],
  },
  rest: { method: 'GET', path: '/secrets' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'Lists the names of stored secrets and when each was set. Values are never shown.',
  input: z.strictObject({ group: SecretGroup.optional() }),
  output: z.object({ secrets: z.array(z.object({ group: z.string(), name: z.string(), updated: z.string() })) }),
  async run({ group }, { secrets }: { secrets: SecretsPort }) {
    return { secrets: [...(await secrets.list(group))] };
  },
  render: ({ secrets }) =>
    secrets.map(({ group, name, updated }) => `${name} (${group}), set ${updated}`).join('\n') ||
    'No secret is stored.',
});
