import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { HelpTopic } from '../operation.ts';
import type { CliComposition } from './composition.ts';
import type { Terminal } from './terminal.ts';

export type FieldType =
  | { kind: 'text' }
  /** Made absolute here, because the process that runs the command may have another working directory. */
  | { kind: 'path' }
  | { kind: 'number'; whole: boolean; min?: number; max?: number }
  | { kind: 'flag' }
  | { kind: 'choice'; values: readonly string[] }
  /** Any other type is parsed as JSON; invalid JSON is used as text if text is allowed. */
  | { kind: 'json'; orText: boolean }
  /** `isWhole`: commas are part of the items, so that each is given on its own. */
  | { kind: 'list'; of: FieldType; isWhole?: boolean };

/** One value of a command's input. */
export interface Field {
  /** Its path in the input: `['filter', 'chat_type']`. */
  place: readonly string[];
  /** Its names as an option, without dashes; the one to show is first. */
  names: readonly [string, ...string[]];
  /** Its short option. */
  letter?: string;
  type: FieldType;
  required: boolean;
  description?: string;
  /** For our own processes: omitted from the help. */
  hidden?: boolean;
  /** The default. */
  fallback?: unknown;
}

/** The fields of a command. Positionals are fields too and may also be set as options. */
export interface Signature {
  fields: readonly Field[];
  positionals: readonly Field[];
  stdin?: Field;
}

export type Input = Record<string, unknown>;

export interface Command {
  /** As typed: `db backup`. */
  path: string;
  /** Its heading in the overview. */
  group: string;
  description: string;
  /** Internal: omitted from the overview. */
  hidden?: boolean;
  examples: readonly string[];
  /** Further sections of its help. */
  topics?: readonly HelpTopic[];
  /** Words that shells complete where its arguments are typed. */
  suggestions?: readonly string[];
  /** How a wrong value is called where this command belongs. */
  invalidInput: Extract<ErrorCode, 'INVALID_PARAMETER' | 'VALIDATION_ERROR'>;
  signature(): Signature;
  /** Reads standard input, if it is not a terminal, where the field for it is not given. */
  readsPipe?: boolean;
  /** Reads standard input itself, as it arrives. */
  readsLines?: boolean;
  /** Rules between fields, beyond the signature. */
  check?(input: Input): void;
  /** Gives the exit code. */
  run(input: Input, composition: CliComposition, terminal: Terminal): Promise<number>;
}

interface UsageDetails {
  command?: Command | undefined;
  /** The common prefix of several commands, if it is unknown which one was meant. */
  group?: string | undefined;
  field?: Field | undefined;
}

/** The command was called with invalid arguments. Exit code 2. */
export class UsageError extends AppError {
  constructor(message: string, { command, group, field }: UsageDetails = {}) {
    const help = ['switchboard', command?.path ?? group, '--help'].filter(Boolean).join(' ');
    super(command?.invalidInput ?? 'VALIDATION_ERROR', message, {
      field: field && nameOf(field),
      hint: `Run \`${help}\` for usage.`,
    });
  }
}

/** An empty value may result from an unset variable, which must not remove a restriction. */
export function refuseEmpty(command: Command, input: Input): void {
  const field = command.signature().fields.find(({ place: [key = ''] }) => isEmpty(input[key]));
  if (field) throw new UsageError(`--${field.names[0]} needs a value.`, { command, field });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === '';
}

/** The name of the field in errors and in the other doors. */
export function nameOf(field: Field): string {
  return field.place.join('.');
}
