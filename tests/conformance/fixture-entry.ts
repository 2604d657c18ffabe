import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { InteractiveTool, PlainTool } from '../../src/mcp/registry.ts';

/** A tool of the referee's, by the name it calls it. */
export function fixtureTool(
  name: string,
  description: string,
  call: PlainTool['call'],
  inputSchema: Tool['inputSchema'] = { type: 'object' },
): PlainTool {
  return { definition: { name, description, inputSchema }, call };
}

/** One that talks to the client while it runs. */
export function interactiveTool(
  name: string,
  description: string,
  call: InteractiveTool['call'],
  inputSchema: Tool['inputSchema'] = { type: 'object' },
): InteractiveTool {
  return { definition: { name, description, inputSchema }, interactive: true, call };
}

export function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** What the client says it can do, with this request. */
export function clientAbilities({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
}
