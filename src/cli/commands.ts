import { AppError } from '../domain/errors.ts';
import { closest } from '../lib/did-you-mean.ts';
import type { Operation } from '../operation.ts';
import { isOption } from './arguments.ts';
import { type Command, type Input, type Signature, UsageError } from './command.ts';
import type { CatalogEntry } from './composition.ts';
import { signatureOf } from './fields.ts';
import type { Format } from './formats.ts';
import { runOperation } from './operation-command.ts';
import { type InCommands, inCommands } from './tool-names.ts';
import { quoted } from './values.ts';

/** The commands that are derived from operations. */
export function commandsOf(catalog: readonly CatalogEntry[]): Command[] {
  const worded = inCommands(catalog);
  return catalog.flatMap((entry) => {
    const { path, aliases = [] } = entry.operation.cli ?? {};
    return path === undefined ? [] : [path, ...aliases].map((each) => commandOf(entry, each, worded));
  });
}

function commandOf({ capability, operation }: CatalogEntry, path: string, worded: InCommands): Command {
  const { examples = [], topics, suggestions, total, piped } = operation.cli ?? {};
  let signature: Signature | undefined;
  const command: Command = {
    path,
    group: capability.name,
    description: worded(operation.description),
    examples,
    ...(topics ? { topics } : {}),
    ...(suggestions ? { suggestions } : {}),
    invalidInput: capability.invalidInput,
    ...(total ? { readsLines: true } : {}),
    ...(piped ? { readsPipe: true } : {}),
    signature: () => {
      signature ??= describedIn(signatureOf(operation), worded);
      return signature;
    },
    run: async (input, composition, terminal) => {
      try {
        return await runOperation({ command, operation, ...takeFormat(operation, input), composition, terminal });
      } catch (thrown) {
        throw hintedIn(thrown, worded);
      }
    },
  };
  return command;
}

function describedIn(signature: Signature, worded: InCommands): Signature {
  for (const field of signature.fields) {
    if (field.description !== undefined) field.description = worded(field.description);
  }
  return signature;
}

function hintedIn(thrown: unknown, worded: InCommands): unknown {
  if (!(thrown instanceof AppError) || thrown instanceof UsageError || thrown.hint === undefined) return thrown;
  const { code, message, field, hint, cause, upstream } = thrown;
  return new AppError(code, message, { field, hint: worded(hint), cause, upstream });
}

/** How a list is shown is decided by the command line, and is not an input of the operation. */
function takeFormat({ cli }: Operation, input: Input): { input: Input; format?: Format } {
  if (!cli?.list || input.format === undefined) return { input };
  const { format, ...rest } = input;
  return { input: rest, format: format as Format };
}

/** The meaning of the first words of a command line. */
export type FoundCommand =
  | { kind: 'command'; command: Command; args: readonly string[] }
  /** A common first word of several commands. */
  | { kind: 'group'; path: string; commands: readonly Command[] };

/** The command with the longest name that the line begins with. */
export function findCommand(commands: readonly Command[], line: readonly string[]): FoundCommand {
  const end = line.findIndex((word) => isOption(word));
  const words = end === -1 ? line : line.slice(0, end);
  for (let length = words.length; length > 0; length--) {
    const path = words.slice(0, length).join(' ');
    const command = commands.find((each) => each.path === path);
    if (command) return { kind: 'command', command, args: line.slice(length) };
  }
  const below = commands.filter(({ path }) => path.startsWith(`${words.join(' ')} `));
  if (words.length > 0 && below.length > 0) return { kind: 'group', path: words.join(' '), commands: below };
  throw words.length === 0 ? optionBeforeCommand(line) : unknownCommand(commands, words);
}

function optionBeforeCommand([option = '']: readonly string[]): UsageError {
  const words = `${quoted(option)} is no option of switchboard itself; the options of a command come after its name.`;
  return new UsageError(words);
}

function unknownCommand(commands: readonly Command[], words: readonly string[]): UsageError {
  const known = knownPart(commands, words);
  const typed = words.slice(0, known.length + 1);
  const meant = suggestion(commands, known, words[known.length] ?? '');
  const ending = meant === undefined ? '' : ` Did you mean \`switchboard ${meant}\`?`;
  return new UsageError(`There is no command ${quoted(typed.join(' '))}.${ending}`, { group: known.join(' ') });
}

/** The words at the beginning that some command begins with. */
function knownPart(commands: readonly Command[], words: readonly string[]): readonly string[] {
  let known = words.length;
  while (known > 0 && !commands.some(({ path }) => path.startsWith(`${words.slice(0, known).join(' ')} `))) known--;
  return words.slice(0, known);
}

function suggestion(commands: readonly Command[], known: readonly string[], word: string): string | undefined {
  const paths = commands.filter(({ hidden }) => !hidden).map(({ path }) => path.split(' '));
  const next = paths.filter((path) => known.every((each, index) => path[index] === each));
  const meant = closest(word, new Set(next.flatMap((path) => path[known.length] ?? [])));
  if (meant !== undefined) return [...known, meant].join(' ');
  return paths.find((path) => path.at(-1) === word)?.join(' ');
}
