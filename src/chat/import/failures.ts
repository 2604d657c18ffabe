import { AppError, type ErrorView } from '../../domain/errors.ts';

/** An error on its way to another thread. */
export interface ImportFailure {
  error: ErrorView;
  cause: string;
}

/** Throws what is no `AppError` again: a bug ends the thread. */
export function failureOf(error: unknown): ImportFailure {
  if (!(error instanceof AppError)) throw error;
  return { error: error.toJSON(), cause: String(error.cause) };
}

export function toAppError({ error, cause }: ImportFailure): AppError {
  return new AppError(error.code, error.message, { field: error.field, hint: error.hint, cause });
}

export function endedEarly(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The import was ended before it was done.');
}
