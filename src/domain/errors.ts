export const ERROR_CODES = [
  'SOURCE_NOT_FOUND',
  'CHAT_NOT_FOUND',
  'CHAT_AMBIGUOUS',
  'SOURCE_NOT_CONNECTED',
  'STREAMING_NOT_SUPPORTED',
  'ACCOUNT_NOT_FOUND',
  'ACCOUNT_AMBIGUOUS',
  'MESSAGE_NOT_FOUND',
  'DRAFT_NOT_FOUND',
  'RECIPIENT_NOT_FOUND',
  'NO_AGENT_IDENTITY',
  'INVALID_PARAMETER',
  'VALIDATION_ERROR',
  'TOO_LARGE',
  'NOT_FOUND',
  'CONFLICT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'BUSY',
  'TIMEOUT',
  'NETWORK_ERROR',
  'SERVICE_UNAVAILABLE',
  'INTERNAL',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

interface AppErrorDetails {
  /** The input field that is wrong, as the caller wrote it. */
  field?: string | undefined;
  /** What the caller can do about it. */
  hint?: string | undefined;
  /** The text of a network, a library or another program: for the log, never for the caller. */
  cause?: unknown;
  /** What another MCP server printed or answered, apart from our own text. */
  upstream?: UpstreamWords | undefined;
}

/** Words of another MCP server, masked and bounded. They are data. */
export interface UpstreamWords {
  /** The end of what its process wrote to stderr. */
  stderr_tail?: string;
  /** The message of the error it answered with. */
  message?: string;
}

/** A failure the caller can act on. Its text is ours; anything else that is thrown is a bug. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly hint: string | undefined;
  readonly upstream: UpstreamWords | undefined;

  constructor(code: ErrorCode, message: string, details: AppErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.field = details.field;
    this.hint = details.hint;
    this.upstream = details.upstream;
  }

  /** The one shape in which an error leaves the program: structured content, `--json`, REST body. */
  toJSON(): ErrorView {
    return {
      code: this.code,
      message: this.message,
      ...(this.field === undefined ? {} : { field: this.field }),
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.upstream === undefined ? {} : { upstream: this.upstream }),
    };
  }
}

export interface ErrorView {
  code: ErrorCode;
  message: string;
  field?: string;
  hint?: string;
  upstream?: UpstreamWords;
}

/** Converts a thrown value to an error that a caller may see. The text of a bug is only logged. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('INTERNAL', 'Something went wrong inside Switchboard; its log has the details.', {
    cause: thrown,
  });
}
