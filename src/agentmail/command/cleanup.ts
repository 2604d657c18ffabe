import type { MailCommand } from './command.ts';

export const cleanup: MailCommand = {
  name: 'cleanup',
  summary: 'Remove old agents and read messages',
  usage: '[flags]',
  about: `Removes agents whose windows are gone or whose status is old, and messages that were read some
time ago. Unread messages stay.`,
  flags: [
    { names: ['stale-hours'], takes: 'number', description: 'Remove agents whose status is this old (48)' },
    { names: ['delivered-hours'], takes: 'number', description: 'Remove messages read and this old (2)' },
    { names: ['dry-run'], takes: 'nothing', description: 'Only print what would be removed' },
  ],
  run: async (call) => (await import('./cleanup-run.ts')).runCleanup(call),
};
