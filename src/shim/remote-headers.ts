import { type Message, paramsOf } from './message.ts';

/** Where a request says what it is about. */
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

const SENTINEL = /^=\?base64\?.*\?=$/;

/** The headers in which a request without a session repeats what its body says. */
export function statelessHeaders(message: Message, version: string): Record<string, string> {
  const method = String(message.method);
  const name = paramsOf(message)[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': headerValue(version),
    'mcp-method': headerValue(method),
    ...(typeof name === 'string' ? { 'mcp-name': headerValue(name) } : {}),
  };
}

/** Text that a header cannot carry as it is, or that would be taken for such, goes as base64. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !SENTINEL.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
