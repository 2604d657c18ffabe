import { run as runProgram } from '../../../src/cli/run.ts';

/** The product with a capability that only the benchmark has. */
export function run(args: readonly string[]): Promise<number> {
  return runProgram(args, {
    load: async () => {
      const [{ composeCli, operationsCatalog }, { thirtyToolsCapability }] = await Promise.all([
        import('../../../src/compose.ts'),
        import('./capability.ts'),
      ]);
      return { operationsCatalog, composeCli: (options) => composeCli(options, [thirtyToolsCapability()]) };
    },
  });
}
