import type { Command } from './command.ts';

/** What a shim starts in the background; nobody types it. */
export const daemonCommand: Command = {
  path: 'daemon run',
  group: 'doors',
  hidden: true,
  description: 'Serves the other processes of this user in the background, until nobody needs it.',
  examples: [],
  invalidInput: 'VALIDATION_ERROR',
  signature: () => ({ fields: [], positionals: [] }),
  run: (_, composition) => composition.runDaemon(),
};
