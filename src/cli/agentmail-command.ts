import { type Command, type Field, UsageError } from './command.ts';

const COMMAND: Field = {
  place: ['command'],
  names: ['command'],
  type: {
    kind: 'choice',
    values: [
      'send',
      'receive',
      'recipients',
      'status',
      'mailman',
      'wait',
      'sent',
      'history',
      'release',
      'cleanup',
      'onboard',
      'mcp',
    ],
  },
  required: true,
  description: 'See `switchboard agentmail <command> --help`.',
};

const REST: Field = {
  place: ['arguments'],
  names: ['arguments'],
  type: { kind: 'list', of: { kind: 'text' } },
  required: false,
};

/** Implemented elsewhere, because another program defines how it is called; here it is only shown. */
export const agentmailCommand: Command = {
  path: 'agentmail',
  group: 'agentmail',
  description: 'Mail between agents in tmux windows; the same as the `agentmail` command.',
  examples: ['switchboard agentmail send a2 "The tests pass"', 'switchboard agentmail receive'],
  invalidInput: 'VALIDATION_ERROR',
  signature: () => ({ fields: [COMMAND, REST], positionals: [COMMAND, REST] }),
  async run() {
    throw new UsageError('Options come after it: switchboard agentmail <command> [options].', {
      command: agentmailCommand,
    });
  },
};
