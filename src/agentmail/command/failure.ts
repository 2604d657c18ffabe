import { AppError, type ErrorCode } from '../../domain/errors.ts';

interface Details {
  exitCode?: number;
  /** What can be done about it, on a line of its own. */
  hint?: string | undefined;
  /** What stands before it, where people read it. */
  preface?: string;
  /** What people read instead. */
  text?: string;
  /** Whether `error: ` stands before it; that it does not is so in one place only. */
  plain?: boolean;
  cause?: unknown;
}

/** The command did not do what it was called for. */
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

  /** As it is written to standard error. */
  lines(): string {
    if (this.#text !== undefined) return this.#text;
    const hint = this.hint === undefined ? '' : `${this.hint}\n`;
    return `${this.#preface}${this.#plain ? '' : 'error: '}${this.message}\n${hint}`;
  }
}

/** In the build some commands lie in files of their own, each with a class of its own of this name. */
export function isCommandFailure(thrown: unknown): thrown is CommandFailure {
  return thrown instanceof Error && 'exitCode' in thrown && 'lines' in thrown;
}

/** Whatever was thrown while `doing` something, told as the original program tells it. */
export function failedTo(doing: string, thrown: unknown): CommandFailure {
  if (thrown instanceof CommandFailure) return thrown;
  const { message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const known = thrown instanceof AppError ? thrown : undefined;
  return new CommandFailure(known?.code ?? 'INTERNAL', `failed to ${doing}: ${message}`, {
    hint: known?.hint,
    cause: thrown,
  });
}
