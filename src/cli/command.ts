import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { CliComposition } from './composition.ts';
import type { Terminal } from './terminal.ts';

export type FieldType =
  | { kind: 'text' }
  /** Made absolute here, because the process that runs the command may have another working directory. */
  | { kind: 'path' }
  | { kind: 'number'; whole: boolean; min?: number; max?: number }
  | { kind: 'flag' }
  | { kind: 'choice'; values: readonly string[] }
  /** Anything else is parsed as JSON; invalid JSON is taken as text if text is allowed. */
  | { kind: 'json'; orText: boolean }
  | { kind: 'list'; of: FieldType };

/** One value of a command's input. */
export interface Field {
  /** Its path in the input: `['filter', 'chat_type']`. */
  place: readonly string[];
  /** What it is called as an option, without dashes; the one to show comes first. */
  names: readonly [string, ...string[]];
  /** Its short option. */
  letter?: string;
  type: FieldType;
  required: boolean;
  description?: string;
  /** For our own processes: left out of the help. */
  hidden?: boolean;
  /** What is taken when it is left out. */
  fallback?: unknown;
}

/** What a command takes. Positionals are fields too and may also be given as options. */
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
  /** Not for people: left out of the overview. */
  hidden?: boolean;
  examples: readonly string[];
  /** How a wrong value is called where this command belongs. */
  invalidInput: Extract<ErrorCode, 'INVALID_PARAMETER' | 'VALIDATION_ERROR'>;
  signature(): Signature;
  /** Takes what comes on standard input by itself, as it comes. */
  readsLines?: boolean;
  /** Rules between fields, beyond what the signature says. */
  check?(input: Input): void;
  /** Gives the exit code. */
  run(input: Input, composition: CliComposition, terminal: Terminal): Promise<number>;
}

interface UsageDetails {
  command?: Command | undefined;
  /** The beginning of several commands, when it is not known which one was meant. */
  group?: string | undefined;
  field?: Field | undefined;
}

/** The command was called in a way it cannot be called. Exit code 2. */
export class UsageError extends AppError {
  constructor(message: string, { command, group, field }: UsageDetails = {}) {
    const help = ['switchboard', command?.path ?? group, '--help'].filter(Boolean).join(' ');
    super(command?.invalidInput ?? 'VALIDATION_ERROR', message, {
      field: field && nameOf(field),
      hint: `Run \`${help}\` for usage.`,
    });
  }
}

/** A value that is given and empty comes from a variable that is not set: what was to be closed must not stay open by it. */
export function refuseEmpty(command: Command, input: Input): void {
  const field = command.signature().fields.find(({ place: [key = ''] }) => isEmpty(input[key]));
  if (field) throw new UsageError(`--${field.names[0]} needs a value.`, { command, field });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === '';
}

/** The field as errors and the other doors call it. */
export function nameOf(field: Field): string {
  return field.place.join('.');
}
