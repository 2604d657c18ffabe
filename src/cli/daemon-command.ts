import type { Command } from './command.ts';

/** What a shim starts in the background; nobody types it. */
export const daemonCommand: Command = {
  path: 'daemon run',
  group: 'doors',
  hidden: true,
  description: 'Runs the daemon in the background until it is idle.',
  examples: [],
  invalidInput: 'VALIDATION_ERROR',
  signature: () => ({ fields: [], positionals: [] }),
  run: (_, composition) => composition.runDaemon(),
};
