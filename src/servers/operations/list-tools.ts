import { z } from 'zod';
import { visible } from '../../lib/visible.ts';
import { operation } from '../../operation.ts';
import { publicName } from '../gateway/public-name.ts';
import { allowsTool } from '../gateway/tool-filter.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { ServerRef, type ServersContext } from './server-view.ts';

const ToolView = z.object({
  server: z.string(),
  name: z.string(),
  offered_as: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  input_schema: z.json(),
});

export const listTools = operation({
  mcp: { name: 'servers_tools', title: 'Tools of MCP servers', right: 'manage' },
  cli: {
    path: 'servers tools',
    positionals: ['id'],
    list: {
      key: 'tools',
      columns: ['offered_as', 'description'],
      line: (tool) => asLine(ToolView.parse(tool)),
    },
  },
  rest: { method: 'GET', path: '/tools' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists the tools of running MCP servers, or of one server, with their schemas.',
  input: z.strictObject({ id: ServerRef.optional() }),
  output: z.object({ tools: z.array(ToolView) }),
  async run({ id }, { servers }: ServersContext) {
    if (id !== undefined) return { tools: toolsOf(await servers.find(id)) };
    const running = (await servers.list()).filter((server) => server.state().state === 'running');
    return { tools: running.flatMap(toolsOf) };
  },
  render: ({ tools }) => tools.map(withSchema).join('\n') || 'There is no tool.',
});

function toolsOf(server: ManagedServer): z.input<typeof ToolView>[] {
  const offered = (server.reviewed()?.tools ?? []).filter(({ name }) => allowsTool(server.config().tools, name));
  return offered.map(({ name, title, description, inputSchema }) => ({
    server: server.id,
    name,
    offered_as: publicName(server.id, name),
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    input_schema: inputSchema ?? {},
  }));
}

/** For a model, which has to know how to call it. */
function withSchema(tool: z.output<typeof ToolView>): string {
  const { server, name, title } = tool;
  const known = [`tool ${visible(name)} of ${server}`, ...(title === undefined ? [] : [visible(title)])].join(', ');
  return `${asLine(tool)} (${known}); arguments: ${visible(JSON.stringify(tool.input_schema))}`;
}

function asLine({ offered_as: name, description }: z.output<typeof ToolView>): string {
  return description === undefined ? name : `${name}: ${description.split('\n', 1)[0]}`;
}
