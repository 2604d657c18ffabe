import { AppError, type ErrorCode } from '../../domain/errors.ts';

interface Details {
  exitCode?: number;
  /** What the user can do, on a separate line. */
  hint?: string | undefined;
  /** Text before the message on standard error. */
  preface?: string;
  /** Replaces the whole text on standard error. */
  text?: string;
  /** Omits the prefix `error: `, as the original does for an invalid status. */
  plain?: boolean;
  cause?: unknown;
}

/** An error of a command, with its exit code. */
export class CommandFailure extends AppError {
  readonly exitCode: number;
  readonly #preface: string;
  readonly #plain: boolean;
  readonly #text: string | undefined;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    const { exitCode = 1, hint, preface = '', plain = false, text, cause } = details;
    super(code, message, { hint, cause });
    this.exitCode = exitCode;
    this.#preface = preface;
    this.#plain = plain;
    this.#text = text;
  }

  withPreface(preface: string): CommandFailure {
    const { code, message, exitCode, hint, cause } = this;
    return new CommandFailure(code, message, { exitCode, hint, preface, plain: this.#plain, cause });
  }

  /** The text for standard error. */
  lines(): string {
    if (this.#text !== undefined) return this.#text;
    const hint = this.hint === undefined ? '' : `${this.hint}\n`;
    return `${this.#preface}${this.#plain ? '' : 'error: '}${this.message}\n${hint}`;
  }
}

/** Not `instanceof`: in the build some commands are separate bundles, each with its own copy of the class. */
export function isCommandFailure(thrown: unknown): thrown is CommandFailure {
  return thrown instanceof Error && 'exitCode' in thrown && 'lines' in thrown;
}

/** Any error that was thrown while `doing` something, in the wording of the original program. */
export function failedTo(doing: string, thrown: unknown): CommandFailure {
  if (thrown instanceof CommandFailure) return thrown;
  const { message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const known = thrown instanceof AppError ? thrown : undefined;
  return new CommandFailure(known?.code ?? 'INTERNAL', `failed to ${doing}: ${message}`, {
    hint: known?.hint,
    cause: thrown,
  });
}
