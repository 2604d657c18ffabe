import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { amount, httpUrl, milliseconds, secret } from '../settings.ts';

const Registries = z.strictObject({
  official_url: httpUrl()
    .default('https://registry.modelcontextprotocol.io')
    .describe('URL of the official MCP registry, or of one with the same API.'),
  smithery_url: httpUrl().default('https://api.smithery.ai').describe('URL of Smithery.'),
  smithery_api_key: secret().optional().describe('API key of Smithery; most reading works without.'),
});

const Section = z.strictObject({
  handshake_timeout_ms: milliseconds(30_000).describe('Timeout for another MCP server to start, in ms.'),
  call_timeout_ms: milliseconds(60_000).describe(
    'Timeout of a tool call, in ms; each report of progress begins it anew.',
  ),
  stop_timeout_ms: milliseconds(5_000, 100).describe('Time a server has to end before it is killed, in ms.'),
  ping_interval_ms: milliseconds(60_000, 1_000).describe(
    'How often an unused server is asked whether it answers, in ms.',
  ),
  ping_timeout_ms: milliseconds(10_000).describe('Timeout of that answer, in ms; then the server is started again.'),
  session_idle_ms: milliseconds(300_000, 100).describe(
    'How long the process of one client session is kept without a call, in ms; for servers with a connection per session.',
  ),
  max_result_bytes: amount(4_194_304, 1_024, 268_435_456).describe('Largest answer of a server that is passed on.'),
  tool_budget: amount(100, 0, 100_000).describe(
    'With more tools of other servers than this, `search_tools` and `call_tool` are listed instead of them.',
  ),
  whole_list_clients: z
    .array(z.string())
    .default(['claude-code'])
    .describe('Names of MCP clients that search tools themselves, and so get the whole list.'),
  registries: Registries.prefault({}).describe('Where `servers search` and `servers install` look.'),
});

/** Its section of the configuration. */
export interface ServersSettings {
  servers: z.output<typeof Section>;
}

export const config: ConfigDeclaration = {
  sections: { servers: { schema: Section.prefault({}).describe('Other MCP servers.') } },
};
