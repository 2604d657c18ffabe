import type { Command } from './command.ts';

/** Started in the background by shims; not for users. */
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
