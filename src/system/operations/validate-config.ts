import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { ConfigPort } from '../config-port.ts';

export const validateConfig = operation({
  cli: {
    local: true,
    path: 'config validate',
    positionals: ['path'],
    examples: ['switchboard config validate', 'switchboard config validate ./new.yaml'],
  },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'Checks the configuration file and the environment. Fails and lists all problems if there are any.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .refine(isAbsolute, 'must be an absolute path')
      .optional()
      .meta({ format: 'path', description: 'File to check; default: the one in the home.' }),
  }),
  output: z.object({
    valid: z.literal(true),
    path: z.string(),
    exists: z.boolean(),
    warnings: z.array(z.string()).readonly(),
  }),
  async run({ path }, { config }: { config: ConfigPort }) {
    return { valid: true as const, ...(await config.validate(path)) };
  },
  render: ({ path, exists, warnings }) =>
    [
      exists ? `${path} is valid.` : `There is no file ${path}; the defaults and the environment are valid.`,
      ...warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
});
