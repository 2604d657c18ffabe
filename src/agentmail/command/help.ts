import type { MailCommand } from './command.ts';
import { COMMON_FLAGS, type Flag } from './line.ts';

/** Printed when no command or an unknown one is named. */
export function overview(commands: readonly MailCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `agentmail - mail between agents in tmux windows

Commands:
${rows.join('\n')}

Run 'agentmail <command> --help' for usage.
`;
}

export function programHelp(commands: readonly MailCommand[]): string {
  return sections([
    ['DESCRIPTION', 'Mail between agents in windows of one tmux session'],
    ['USAGE', 'agentmail <command> [flags] [arguments]'],
    ['SUBCOMMANDS', table(commands.map(({ name, summary }) => [name, summary]))],
    ['FLAGS', table([['--version', 'Show the version'], ...COMMON_FLAGS.map(flagRow)])],
  ]);
}

export function commandHelp({ name, summary, usage, about, flags }: MailCommand): string {
  const head = sections([
    ['DESCRIPTION', summary],
    ['USAGE', `agentmail ${name} ${usage}`.trimEnd()],
  ]);
  return `${head}\n${about}\n\n${sections([['FLAGS', table([...flags, ...COMMON_FLAGS].map(flagRow))]])}`;
}

function sections(parts: readonly (readonly [string, string])[]): string {
  return parts.map(([title, text]) => `${title}\n${text.replace(/^/gm, '  ')}\n`).join('\n');
}

function flagRow({ names, takes, description }: Flag): [string, string] {
  const shortFirst = names.toSorted((a, b) => a.length - b.length);
  const shown = shortFirst.map((name) => `${name.length === 1 ? '-' : '--'}${name}`).join(', ');
  return [`${shown}${takes === 'nothing' ? '' : ` ${takes}`}`, description];
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join('\n');
}
