import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { SecretsPort } from '../secrets-port.ts';

export const rotateSecrets = operation({
  cli: { path: 'secret rotate' },
  rest: { method: 'POST', path: '/secrets/rotate' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Creates a new master key and encrypts all stored secrets with it. Their values do not change.',
  input: z.strictObject({}),
  output: z.object({ secrets: z.int() }),
  run: (_, { secrets }: { secrets: SecretsPort }) => secrets.rotate(),
  render: ({ secrets }) =>
    secrets === 0
      ? 'No secret is stored.'
      : `Encrypted ${secrets} secret${secrets === 1 ? '' : 's'} with a new master key.`,
});
