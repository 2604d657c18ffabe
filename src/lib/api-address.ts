/** The MCP endpoint of a remote Switchboard, and the selected capabilities. */
export interface ApiAddress {
  url: URL;
  /** Names of capabilities; empty means all. */
  only: readonly string[];
}

/**
 * The MCP endpoint of a remote Switchboard, from the values of `--api-url` and `--only`; `undefined` where that is
 * no such address. The address of an endpoint itself is one too: `http://host:3000/mcp/chat`.
 */
export function apiAddress(given: string, wanted: readonly string[] = []): ApiAddress | undefined {
  const url = URL.parse(given);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username || url.password || url.search || url.hash) return undefined;
  const [, base = '', named = ''] = /^(.*?)(?:\/mcp(?:\/([a-z,]+))?)?\/*$/.exec(url.pathname) ?? [];
  const only = wanted.length > 0 ? wanted : named.split(',').filter(Boolean);
  url.pathname = [base, 'mcp', ...(only.length > 0 ? [only.map(encodeURIComponent).join(',')] : [])].join('/');
  return { url, only };
}
