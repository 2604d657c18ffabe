import type { MailCommand } from './command.ts';

export const cleanup: MailCommand = {
  name: 'cleanup',
  summary: 'Remove old messages and agents that no longer exist',
  usage: '[flags]',
  about: `Removes agents whose windows no longer exist or that were inactive for long, and messages that
were read some time ago. Unread messages stay.`,
  flags: [
    { names: ['stale-hours'], takes: 'number', description: 'Remove agents that were inactive for this long (48)' },
    { names: ['delivered-hours'], takes: 'number', description: 'Remove read messages of this age (2)' },
    { names: ['dry-run'], takes: 'nothing', description: 'Only count what would be removed' },
  ],
  run: async (call) => (await import('./cleanup-run.ts')).runCleanup(call),
};
