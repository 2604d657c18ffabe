import { run } from '../../src/cli/run.ts';

// The product as it is, with a capability that only the benchmark has.
process.exitCode = await run(process.argv.slice(2), {
  load: async () => {
    const [{ composeCli, operationsCatalog }, { thirtyToolsCapability }] = await Promise.all([
      import('../../src/compose.ts'),
      import('./thirty-tools.ts'),
    ]);
    return { operationsCatalog, composeCli: (options) => composeCli(options, [thirtyToolsCapability()]) };
  },
});
