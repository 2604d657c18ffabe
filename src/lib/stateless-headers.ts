import { isRecord } from './is-record.ts';

/** The parameter of a method that names its subject. */
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

const SENTINEL = /^=\?base64\?.*\?=$/;

/** The headers in which a request of MCP 2026-07-28 repeats parts of its body. */
export function statelessHeaders(
  message: { method?: unknown; params?: unknown },
  version: string,
): Record<string, string> {
  const method = String(message.method);
  const name = isRecord(message.params) ? message.params[NAMED_BY[method] ?? ''] : undefined;
  return {
    'mcp-protocol-version': headerValue(version),
    'mcp-method': headerValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

/** Text that a header cannot carry, or that looks encoded already, is sent as base64. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !SENTINEL.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
