import type { ToolEntry } from '../../../src/mcp/registry.ts';

/** A tool that runs until the test releases it, and counts the calls that have begun. */
export function createSlowTool(name = 'wait') {
  const begun: (() => void)[] = [];
  let watchers: { count: number; resolve(): void }[] = [];
  let aborted = 0;

  const entry: ToolEntry = {
    definition: { name, description: 'Waits.', inputSchema: { type: 'object' } },
    async call(_, { mcpReq }) {
      const { promise, resolve } = Promise.withResolvers<void>();
      mcpReq.signal.addEventListener('abort', () => {
        aborted += 1;
        resolve();
      });
      begun.push(resolve);
      watchers = watchers.filter((watcher) => watcher.count > begun.length || watcher.resolve());
      await promise;
      return { content: [{ type: 'text', text: 'done' }] };
    },
  };

  return {
    entry,
    /** Resolves when this many calls have begun since the start. */
    begun(count: number): Promise<void> {
      if (begun.length >= count) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.push({ count, resolve });
      return promise;
    },
    aborted: () => aborted,
    /** Ends every call that has begun. */
    release(): void {
      for (const resolve of begun) resolve();
    },
  };
}
