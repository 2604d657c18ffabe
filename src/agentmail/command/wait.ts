import type { MailCommand } from './command.ts';

export const wait: MailCommand = {
  name: 'wait',
  summary: 'Wait for a message and read it',
  usage: '[flags]',
  about: `Like receive, but where nothing is unread it waits for the next message.

With --hook it is a listener for assistants whose hooks may run in the background and wake them,
such as Claude Code's asyncRewake: while the agent is ready it hands over the next message as
'receive --hook' does. A newer listener of the same agent takes the place of an older one.`,
  flags: [
    { names: ['hook'], takes: 'nothing', description: 'Answer as hooks of assistants expect it' },
    {
      names: ['timeout'],
      takes: 'number',
      description: 'Seconds to wait, at most 2147483; without it, as long as it takes',
    },
  ],
  run: async (call) => (await import('./wait-run.ts')).runWait(call),
};
