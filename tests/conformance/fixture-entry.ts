import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { InteractiveTool, PlainTool } from '../../src/mcp/registry.ts';

/** A tool that a conformance scenario calls by this name. */
export function fixtureTool(
  name: string,
  description: string,
  call: PlainTool['call'],
  inputSchema: Tool['inputSchema'] = { type: 'object' },
): PlainTool {
  return { definition: { name, description, inputSchema }, call };
}

/** A tool that sends requests to the client while it runs. */
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

/** The client capabilities declared in this request. */
export function clientAbilities({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
}
