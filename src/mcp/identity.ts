/** How the server introduces itself. */
export interface Identity {
  name: string;
  version: string;
  instructions?: string;
}

export const SERVER_CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
