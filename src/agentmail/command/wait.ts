import type { MailCommand } from './command.ts';

export const wait: MailCommand = {
  name: 'wait',
  summary: 'Wait for a message and read it',
  usage: '[flags]',
  about: `Like receive, but waits for the next message if there is none.

With --hook it is a listener for assistants whose hooks can run in the background and wake them,
such as Claude Code's asyncRewake: while the agent is ready it delivers the next message like
'receive --hook'. A newer listener of the same agent replaces an older one.`,
  flags: [
    { names: ['hook'], takes: 'nothing', description: 'Use exit codes and output for hooks of assistants' },
    {
      names: ['timeout'],
      takes: 'number',
      description: 'Seconds to wait, at most 2147483; default: no limit',
    },
  ],
  run: async (call) => (await import('./wait-run.ts')).runWait(call),
};
