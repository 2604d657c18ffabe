import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { ConfigPort } from '../config-port.ts';

export const configPath = operation({
  cli: { local: true, path: 'config path', examples: ['switchboard config path'] },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'Prints the path of the configuration file.',
  input: z.strictObject({}),
  output: z.object({ path: z.string(), exists: z.boolean() }),
  run: (_, { config }: { config: ConfigPort }) => config.path(),
  // Nothing but the path, so that `$(switchboard config path)` works.
  render: ({ path }) => path,
});
