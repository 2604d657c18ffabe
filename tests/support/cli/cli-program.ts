/** The command line in a separate process, with operations that are slower or have more output than real ones. */
import { z } from 'zod';
import { run } from '../../../src/cli/run.ts';
import { operation } from '../../../src/operation.ts';
import { catalogOf } from './run-cli.ts';

const flood = operation({
  cli: { path: 'flood' },
  kind: 'query',
  effect: 'reads',
  description: 'Gives very much.',
  input: z.strictObject({ bytes: z.int() }),
  output: z.object({ text: z.string() }),
  run: async ({ bytes }) => ({ text: 'x'.repeat(bytes) }),
});

const wait = operation({
  cli: { path: 'wait' },
  kind: 'query',
  effect: 'reads',
  description: 'Waits until it is told to stop.',
  input: z.strictObject({}),
  output: z.object({}),
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      // Keeps the process alive, as a connection would.
      const alive = setInterval(() => {}, 60_000);
      signal.addEventListener('abort', () => {
        clearInterval(alive);
        reject(signal.reason);
      });
      process.stderr.write('waiting\n');
    }),
});

process.exitCode = await run(process.argv.slice(2), {
  load: async () => ({
    operationsCatalog: () => catalogOf(flood, wait),
    composeCli: async () => ({
      call: (called, input, progress, signal) =>
        called.run(called.input.parse(input), { principal: undefined, log: undefined, progress, signal }),
      follow: async () => {},
      serveStdio: async () => 0,
      serveHttp: async () => 0,
      runDaemon: async () => 0,
      close: async () => {},
    }),
  }),
});
