import type { MailCommand } from './command.ts';

export const mailman: MailCommand = {
  name: 'mailman',
  summary: 'Wake agents that have mail',
  usage: '[stop|status] [flags]',
  about: `Watches the mailboxes and tells agents that are ready of unread mail: by a listener of theirs, by
the queue of Codex, or by typing "Check your agentmail" into an empty prompt. It never types into
a shell, an editor or over something that was begun.

There is one for each repository. It ends with the tmux session in which it was started.
With stop it is ended, with status it is told whether one runs.`,
  flags: [{ names: ['daemon'], takes: 'nothing', description: 'Run in the background' }],
  run: async (call) => (await import('./mailman-run.ts')).runMailmanCommand(call),
};
