/** What of a result a client shows its model: the text, the structured content, or (unknown clients) perhaps both. */
export type ResultForm = 'text' | 'structured' | 'both';

/**
 * Clients that are known to show only one of the two, by the beginning of the name that they give themselves. Each was tried;
 * see ADR 19.
 */
const FORMS: readonly (readonly [name: string, form: ResultForm])[] = [
  ['claude-code', 'structured'],
  ['codex-mcp-client', 'structured'],
  ['gemini-cli-mcp-client', 'text'],
  ['opencode', 'text'],
  ['continue-cli-client', 'text'],
  ['ai-sdk-mcp-client', 'text'],
];

export function formFor(client: string | undefined): ResultForm {
  if (client === undefined) return 'both';
  return FORMS.find(([name]) => client === name || client.startsWith(`${name}-`))?.[1] ?? 'both';
}
