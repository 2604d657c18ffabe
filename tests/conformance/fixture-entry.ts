import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { ToolEntry } from '../../src/mcp/registry.ts';

/** A tool of the referee's, by the name it calls it. */
export function fixtureTool(
  name: string,
  description: string,
  call: ToolEntry['call'],
  inputSchema: Tool['inputSchema'] = { type: 'object' },
): ToolEntry {
  return { definition: { name, description, inputSchema }, call };
}

export function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** What the client says it can do, with this request. */
export function clientAbilities({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
}
