import { AppError } from '../../domain/errors.ts';
import type { GatewayEntry } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { OfferIndex, ServerEntry } from './offer-index.ts';
import { createToolSearch, type ToolSearch } from './tool-search.ts';

const SEARCH_TOOLS = 'search_tools';
const CALL_TOOL = 'call_tool';
const MAX_FOUND = 20;
const DEFAULT_FOUND = 5;
const MAX_NAMED = 20;

/** The two tools that stand for all tools of other servers where these are too many to be listed. */
export function createToolOverload(index: OfferIndex, budget: number): readonly GatewayEntry[] {
  let search: ToolSearch<ServerEntry> | undefined;
  const names = index.servers.map(({ id }) => id);
  const servers = names.length > MAX_NAMED ? `${names.slice(0, MAX_NAMED).join(', ')} …` : names.join(', ');
  const finds: GatewayEntry = {
    server: SEARCH_TOOLS,
    isTrusted: false,
    isReadOnly: true,
    definition: {
      name: SEARCH_TOOLS,
      title: 'Search the tools of other servers',
      description: `Finds tools of the connected MCP servers (${servers}) by words. They have ${index.tools.length} tools, more than the ${budget} that are listed at once: search here, then call what you found with ${CALL_TOOL}.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What the tool should do, in a few words; empty lists all by name.' },
          limit: { type: 'integer', minimum: 1, maximum: MAX_FOUND, description: `Default ${DEFAULT_FOUND}.` },
        },
        required: ['query'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async answer(args) {
      const { query = '', limit = DEFAULT_FOUND } = args;
      if (typeof query !== 'string') throw wrong('query', 'a text');
      if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_FOUND) {
        throw wrong('limit', `a whole number from 1 to ${MAX_FOUND}`);
      }
      search ??= createToolSearch(index.tools);
      const { found, total } = search.find(query, limit);
      const tools = found.map(({ definition: { name, description, inputSchema } }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        ...(inputSchema === undefined ? {} : { input_schema: inputSchema }),
      }));
      return {
        content: [{ type: 'text', text: textOf(tools, total) }],
        structuredContent: { tools, total },
      };
    },
  };
  const calls: GatewayEntry = {
    server: CALL_TOOL,
    isTrusted: false,
    // What it calls decides.
    isReadOnly: true,
    definition: {
      name: CALL_TOOL,
      title: 'Call a tool of another server',
      description: `Calls a tool that ${SEARCH_TOOLS} found, by its name.`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: `Name of the tool, as ${SEARCH_TOOLS} gives it.` },
          arguments: { type: 'object', description: 'Arguments of the tool, by its input_schema.' },
        },
        required: ['name'],
      },
      annotations: { readOnlyHint: false, openWorldHint: true },
    },
    target({ name, arguments: args = {} }) {
      const entry = typeof name === 'string' ? index.toolByName.get(name) : undefined;
      if (!entry) {
        throw new AppError('NOT_FOUND', 'There is no such tool.', {
          field: 'name',
          hint: `Find it with ${SEARCH_TOOLS}.`,
        });
      }
      if (!isRecord(args)) throw wrong('arguments', 'an object');
      return { entry, args: args as JsonObject };
    },
  };
  return [calls, finds];
}

function textOf(tools: readonly JsonObject[], total: number): string {
  if (tools.length === 0) return 'No tool fits. Try other words.';
  const lines = tools.map(
    ({ name, description, input_schema: schema }) => `${name}: ${description ?? ''}\n${JSON.stringify(schema)}`,
  );
  return [...lines, ...(total > tools.length ? [`${total - tools.length} more fit.`] : [])].join('\n\n');
}

function wrong(field: string, valid: string): AppError {
  return new AppError('VALIDATION_ERROR', `${field} must be ${valid}.`, { field });
}
