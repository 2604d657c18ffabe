import { visibleJson } from '../lib/visible.ts';
import type { Command } from './command.ts';
import { placesOf } from './completion/places.ts';
import { SCRIPTS, SHELLS, type Shell } from './completion/scripts.ts';

/** Writes a script that completes these commands, and itself. */
export function completionCommand(others: readonly Command[]): Command {
  const shell = {
    place: ['shell'],
    names: ['shell'],
    type: { kind: 'choice', values: SHELLS },
    required: true,
    description: 'Shell.',
  } as const;
  const command: Command = {
    path: 'completion',
    group: 'shell',
    description: 'Prints a completion script for your shell.',
    examples: [
      'source <(switchboard completion bash)',
      'switchboard completion zsh > ~/.zfunc/_switchboard',
      'switchboard completion fish > ~/.config/fish/completions/switchboard.fish',
    ],
    invalidInput: 'VALIDATION_ERROR',
    signature: () => ({ fields: [shell], positionals: [shell] }),
    async run(input, _, { out, json }) {
      const name = input.shell as Shell;
      const script = SCRIPTS[name](placesOf([...others, command]));
      await out.write(json ? `${visibleJson({ shell: name, script })}\n` : script);
      return 0;
    },
  };
  return command;
}
