import { closest } from '../lib/did-you-mean.ts';
import { type Command, type Field, type Input, nameOf, type Signature, UsageError } from './command.ts';
import { toOption } from './fields.ts';
import { quoted, readValue, WrongValue } from './values.ts';

export interface ParsedArguments {
  input: Input;
  /** The field whose value is read from standard input. */
  fromStdin?: Field;
}

/** The texts of a field: positional arguments, or values of its option. */
interface Given {
  texts: readonly string[];
  as: 'option' | 'words';
}

/** Parses the arguments after a command's name. Fails only with a UsageError. */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const signature = command.signature();
  const { words, given } = split(command, signature, args);
  assignWords(command, signature, words, given);
  const fromStdin = takeFromStdin(signature, given);
  checkRequired(command, signature, given, fromStdin);
  const input: Input = {};
  for (const [field, texts] of given) setAt(input, field.place, fieldValue(command, field, texts));
  return { input, ...(fromStdin ? { fromStdin } : {}) };
}

function split(
  command: Command,
  signature: Signature,
  args: readonly string[],
): { words: string[]; given: Map<Field, Given> } {
  const words: string[] = [];
  const given = new Map<Field, Given>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      words.push(...rest);
      break;
    }
    if (!isOption(arg)) {
      words.push(arg);
      continue;
    }
    const { field, text } = readOption(command, signature, arg, rest);
    const before = given.get(field)?.texts ?? [];
    if (before.length > 0 && field.type.kind !== 'list') throw twice(command, field);
    given.set(field, { texts: [...before, text], as: 'option' });
  }
  return { words, given };
}

/** `-` is standard input, `-5` a number and `-7d` a time: neither is an option. */
export function isOption(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-') && !/^-\.?\d/.test(arg);
}

function readOption(
  command: Command,
  { fields }: Signature,
  arg: string,
  rest: string[],
): { field: Field; text: string } {
  const [typed = '', ...valueParts] = separated(arg, fields).split('=');
  const value = valueParts.length > 0 ? valueParts.join('=') : undefined;
  const name = typed.startsWith('--') ? toOption(typed.slice(2)) : '';
  const field = fields.find(({ names, letter }) => names.includes(name) || typed === `-${letter}`);
  if (field?.type.kind === 'flag') return { field, text: value ?? 'true' };
  if (field) return { field, text: value ?? nextValue(command, field, rest) };
  const negated = fields.find(({ names, type }) => type.kind === 'flag' && names.includes(name.replace(/^no-/, '')));
  if (negated && name.startsWith('no-') && value === undefined) return { field: negated, text: 'false' };
  throw unknownOption(command, fields, typed);
}

/** `-n20` is `-n=20`. */
function separated(arg: string, fields: readonly Field[]): string {
  const [, letter, digits] = /^-([a-z])(\d+)$/.exec(arg) ?? [];
  const field = letter === undefined ? undefined : fields.find((each) => each.letter === letter);
  return field?.type.kind === 'number' ? `-${letter}=${digits}` : arg;
}

function nextValue(command: Command, field: Field, rest: string[]): string {
  const [next] = rest;
  if (next !== undefined && !isOption(next)) return rest.shift() ?? '';
  const hint =
    next === undefined || next === '--' ? '' : `; a value that begins with a dash is written --${field.names[0]}=VALUE`;
  throw new UsageError(`--${field.names[0]} needs a value${hint}.`, { command, field });
}

function unknownOption(command: Command, fields: readonly Field[], typed: string): UsageError {
  const names = [...fields.flatMap((field) => field.names), 'json', 'help', 'home'];
  const meant = closest(typed.replace(/^-+/, ''), names);
  const suggestion = meant === undefined ? '' : ` Did you mean --${meant}?`;
  return new UsageError(`${command.path} has no option ${quoted(typed)}.${suggestion}`, { command });
}

function twice(command: Command, field: Field): UsageError {
  return new UsageError(`--${field.names[0]} is given twice.`, { command, field });
}

/** Arguments fill the positionals that were not set as options, in order; a list takes all remaining ones. */
function assignWords(
  command: Command,
  { positionals, stdin }: Signature,
  words: readonly string[],
  given: Map<Field, Given>,
): void {
  const left = [...words];
  for (const field of positionals) {
    if (given.has(field) || left.length === 0) continue;
    given.set(field, { texts: left.splice(0, field.type.kind === 'list' ? left.length : 1), as: 'words' });
  }
  // If no positional is left, a dash requests what happens anyway: reading standard input.
  if (stdin && !given.has(stdin) && left[0] === '-') given.set(stdin, { texts: left.splice(0, 1), as: 'words' });
  if (left.length === 0) return;
  const takes = positionals.length === 0 ? 'no arguments' : positionals.map((field) => `<${nameOf(field)}>`).join(' ');
  throw new UsageError(`${command.path} takes ${takes}; ${quoted(left[0] ?? '')} is one too many.`, { command });
}

/** Standard input is the value of a field set to `-`, or of a required field that was not set. */
function takeFromStdin({ stdin }: Signature, given: Map<Field, Given>): Field | undefined {
  if (!stdin) return undefined;
  const texts = given.get(stdin)?.texts;
  const isAsked = texts === undefined ? stdin.required : texts.length === 1 && texts[0] === '-';
  if (!isAsked) return undefined;
  given.delete(stdin);
  return stdin;
}

function checkRequired(
  command: Command,
  { fields, positionals }: Signature,
  given: ReadonlyMap<Field, unknown>,
  fromStdin: Field | undefined,
): void {
  const missing = fields.filter((field) => field.required && !given.has(field) && field !== fromStdin);
  const [field] = missing;
  if (!field) return;
  const names = missing.map((each) => (positionals.includes(each) ? `<${nameOf(each)}>` : `--${each.names[0]}`));
  throw new UsageError(`${command.path} needs ${names.join(' and ')}.`, { command, field });
}

function fieldValue(command: Command, field: Field, { texts, as }: Given): unknown {
  const { type } = field;
  try {
    if (type.kind !== 'list') return readValue(type, texts[0] ?? '');
    // Arguments of a list are items, unchanged; only an option's value is split at commas.
    const item = as === 'words' ? type.of : type;
    return texts.flatMap((text) => readValue(item, text));
  } catch (thrown) {
    if (!(thrown instanceof WrongValue)) throw thrown;
    const name = as === 'words' ? nameOf(field) : `--${field.names[0]}`;
    throw new UsageError(`${name} ${thrown.message}.`, { command, field });
  }
}

/** Sets a value at its path in the input. */
export function setAt(input: Input, [key = '', ...deeper]: readonly string[], value: unknown): void {
  if (deeper.length === 0) {
    input[key] = value;
    return;
  }
  const nested = (input[key] ?? {}) as Input;
  input[key] = nested;
  setAt(nested, deeper, value);
}
