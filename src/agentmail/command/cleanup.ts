import type { MailCommand } from './command.ts';

export const cleanup: MailCommand = {
  name: 'cleanup',
  summary: 'Remove what nobody needs any more',
  usage: '[flags]',
  about: `Forgets agents whose windows are gone or that were not heard of for long, and removes messages
that were read some time ago. What is unread stays.`,
  flags: [
    { names: ['stale-hours'], takes: 'number', description: 'Forget agents not heard of for this long (48)' },
    { names: ['delivered-hours'], takes: 'number', description: 'Remove messages read and this old (2)' },
    { names: ['dry-run'], takes: 'nothing', description: 'Only say what would be removed' },
  ],
  run: async (call) => (await import('./cleanup-run.ts')).runCleanup(call),
};
