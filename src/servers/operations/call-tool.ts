import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { GatewayRequest } from '../../domain/gateway.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { allowsTool } from '../gateway/tool-filter.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { ServerRef, type ServersContext } from './server-view.ts';

export const callTool = operation({
  mcp: { name: 'servers_call', title: 'Call a tool of an MCP server', right: 'manage' },
  cli: {
    path: 'servers call',
    positionals: ['id', 'tool'],
    also: { arguments: ['args'] },
    examples: [`switchboard servers call files read_file --args '{"path": "notes.txt"}'`],
    failed: ({ is_error: isError }) => isError,
  },
  rest: { method: 'POST', path: '/servers/:id/call' },
  kind: 'command',
  effect: 'sends',
  // The server has limits of its own; a first start may download a package.
  deadlineMs: 24 * 60 * 60_000,
  description: 'Calls a tool of another MCP server by its name there, and returns its result unchanged.',
  input: z.strictObject({
    id: ServerRef,
    tool: z.string().min(1).max(256).describe('Name of the tool.'),
    arguments: z.record(z.string(), z.json()).default({}).describe('Arguments of the tool, as JSON.'),
  }),
  output: z.object({
    result: z.record(z.string(), z.json()),
    text: z.string(),
    is_error: z.boolean(),
  }),
  async run({ id, tool, arguments: args }, context: OperationContext & ServersContext) {
    const server = await context.servers.find(id);
    // What it offers is unknown until it was first connected, and so is what is denied or has to be reviewed.
    if (server.state().state !== 'running') context.progress(0, undefined, `Starting ${server.id} …`);
    if (!server.reviewed()) await server.wake(context.signal);
    checkTool(server, tool);
    const result = await context.callTool(server, tool, args, requestOf(context));
    return { result, text: textOf(result), is_error: result.isError === true };
  },
  render: ({ text }) => text,
});

function checkTool(server: ManagedServer, tool: string): void {
  const isKnown = server.reviewed()?.tools.some(({ name }) => name === tool);
  if (isKnown && allowsTool(server.config().tools, tool)) return;
  throw new AppError('NOT_FOUND', `Server '${server.config().name}' offers no such tool.`, {
    field: 'tool',
    hint: `List them: switchboard servers tools ${server.id}`,
  });
}

/** Nobody can be asked through this door. */
function requestOf(context: OperationContext): GatewayRequest {
  return {
    caller: context,
    signal: context.signal,
    capabilities: {},
    onProgress: ({ progress, total, message }) =>
      context.progress(numberOf(progress) ?? 0, numberOf(total), typeof message === 'string' ? message : undefined),
    canAnswer: () => false,
    ask: () => Promise.reject(new AppError('CONFLICT', 'Nobody can be asked through this door.')),
  };
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The text of a result; what is no text is named. */
function textOf({ content }: JsonObject): string {
  const blocks = Array.isArray(content) ? content.filter((block) => isRecord(block)) : [];
  return blocks
    .map(({ type, text, mimeType, uri }) => {
      if (typeof text === 'string') return text;
      return `[${[type, mimeType, uri].filter((part) => typeof part === 'string').join(' ')}]`;
    })
    .join('\n');
}
