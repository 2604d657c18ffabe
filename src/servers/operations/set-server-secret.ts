import { z } from 'zod';
import { operation } from '../../operation.ts';
import { ServerRef, type ServersContext } from './server-view.ts';

export const setServerSecret = operation({
  cli: {
    path: 'servers secret',
    positionals: ['id', 'key'],
    stdin: 'value',
    examples: ['switchboard servers secret github GITHUB_TOKEN < token.txt'],
  },
  rest: { method: 'PUT', path: '/servers/:id/secrets/:key' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  idempotent: true,
  description:
    'Stores a secret of another MCP server, encrypted. Its process gets it as the environment variable of that name.',
  input: z.strictObject({
    id: ServerRef,
    key: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/, 'must be a name of a variable: letters, digits and _')
      .describe('Name of the variable, or bearer_token or oauth_client_secret.'),
    value: z.string().min(1).describe('The value, read from standard input.'),
  }),
  output: z.object({ id: z.string(), key: z.string() }),
  async run({ id, key, value }, { servers, setSecret }: ServersContext) {
    const server = await servers.find(id);
    await setSecret(server, key, value);
    return { id: server.id, key };
  },
  render: ({ id, key }) => `Stored ${key} of ${id}.`,
});
