/** The MCP endpoint of a Switchboard elsewhere, from what `--api-url` was given; `undefined` where that is no such address. */
export function apiAddress(given: string, only: readonly string[] = []): URL | undefined {
  const url = URL.parse(given);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username || url.password || url.search || url.hash) return undefined;
  const base = url.pathname.replace(/\/+$/, '').replace(/\/mcp$/, '');
  url.pathname = [base, 'mcp', ...(only.length > 0 ? [only.map(encodeURIComponent).join(',')] : [])].join('/');
  return url;
}
