import type { MailCommand } from './command.ts';

export const mailman: MailCommand = {
  name: 'mailman',
  summary: 'Wake agents that have mail',
  usage: '[stop|status] [flags]',
  about: `Watches the mailboxes and notifies agents that are ready of unread mail: by a listener, by the queue
of Codex, or by typing "Check your agentmail" into an empty prompt. It never types into a shell, an
editor or a prompt that is not empty.

There is one per repository. It exits with the tmux session in which it was started. stop ends it,
status shows whether one is running.`,
  flags: [{ names: ['daemon'], takes: 'nothing', description: 'Run in the background' }],
  run: async (call) => (await import('./mailman-run.ts')).runMailmanCommand(call),
};
