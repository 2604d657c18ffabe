/** How an assistant reaches us: it starts a process, or sends requests to an address. */
export type Launch = StdioLaunch | HttpLaunch;

export interface StdioLaunch {
  kind: 'stdio';
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface HttpLaunch {
  kind: 'http';
  url: string;
  headers: Readonly<Record<string, string>>;
}
