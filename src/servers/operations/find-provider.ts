import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { operation } from '../../operation.ts';
import { publicName } from '../gateway/public-name.ts';
import { allowsTool } from '../gateway/tool-filter.ts';
import type { ServersContext } from './server-view.ts';

export const findProvider = operation({
  mcp: { name: 'servers_find_provider', title: 'Find the MCP server of a tool', right: 'manage' },
  cli: { path: 'servers provider', positionals: ['tool'] },
  rest: { method: 'GET', path: '/tools/:tool/provider' },
  kind: 'query',
  effect: 'reads',
  description:
    'Finds the running MCP server that has a tool, by the name of the tool there or here; the oldest if several have.',
  input: z.strictObject({ tool: z.string().min(1).max(256).describe('Name of the tool.') }),
  output: z.object({ id: z.string(), tool: z.string(), others: z.array(z.string()) }),
  async run({ tool }, { servers }: ServersContext) {
    const running = (await servers.list()).filter((server) => server.state().state === 'running');
    const found = running.flatMap((server) => {
      const own = server.reviewed()?.tools.find(({ name }) => name === tool || publicName(server.id, name) === tool);
      return own && allowsTool(server.config().tools, own.name) ? [{ id: server.id, tool: own.name }] : [];
    });
    const [first, ...others] = found;
    if (!first) {
      throw new AppError('NOT_FOUND', 'No running server has this tool.', {
        field: 'tool',
        hint: 'List them: switchboard servers tools',
      });
    }
    return { ...first, others: others.map(({ id }) => id) };
  },
  render: ({ id, others }) => [id, ...others].join('\n'),
});
