import type { ServerResponse } from 'node:http';
import type { Principal } from '../domain/principal.ts';

/** Open responses by token, so that streams do not outlive the token they were opened with. */
export function createOpenResponses() {
  const open = new Map<string, Set<ServerResponse>>();
  return {
    add({ kind, name }: Principal, response: ServerResponse): void {
      if (kind !== 'token') return;
      const answers = open.get(name) ?? new Set();
      open.set(name, answers.add(response));
      response.once('close', () => {
        answers.delete(response);
        if (answers.size === 0 && open.get(name) === answers) open.delete(name);
      });
    },
    /**
     * Closes the streams of a token. Running calls are still answered, because they were authorized when they
     * arrived.
     */
    cutOff(name: string): void {
      for (const response of open.get(name) ?? []) {
        if (response.headersSent || response.req.method === 'GET') response.destroy();
      }
    },
  };
}
