import { AppError } from '../domain/errors.ts';
import { connectionFailureIn, type SettingNames } from './connection-failure.ts';
import type { CursorLost, NotSent, Rejected, Unknown } from './connector.ts';

type Outcome = CursorLost | NotSent | Rejected | Unknown;

/**
 * Carries an expected outcome from deep inside a connector up to its edge, where `outcomeOf` turns it into the value that
 * the contract asks for. It never leaves the connector.
 */
export class OutcomeError extends Error {
  override readonly name = 'OutcomeError';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.reason, outcome.cause === undefined ? undefined : { cause: outcome.cause });
    this.outcome = outcome;
  }
}

interface Details {
  cause?: unknown;
}

export function notSent(reason: string, { retry = false, cause }: Details & { retry?: boolean } = {}): OutcomeError {
  return new OutcomeError({ kind: 'not-sent', reason, retry, cause });
}

export function rejected(reason: string, { cause }: Details = {}): OutcomeError {
  return new OutcomeError({ kind: 'rejected', reason, cause });
}

export function cursorLost(reason: string, { cause }: Details = {}): OutcomeError {
  return new OutcomeError({ kind: 'cursor-lost', reason, cause });
}

export function unknown(reason: string, { cause }: Details = {}): OutcomeError {
  return new OutcomeError({ kind: 'unknown', reason, cause });
}

/** The result of `work`, or the outcome of one of these kinds that it threw. Any other error is rethrown. */
export async function outcomeOf<Value, Kind extends Outcome['kind']>(
  work: Promise<Value>,
  ...kinds: Kind[]
): Promise<Value | Extract<Outcome, { kind: Kind }>> {
  try {
    return await work;
  } catch (error) {
    if (isOutcome(error, kinds)) return error.outcome;
    throw error;
  }
}

/**
 * How a `run` ended: with nothing, or `rejected`. What failed while connecting is classified here for every network:
 * a retry is useless after a certificate that is not trusted; the reason of other failures is reported with them.
 */
export function rejectionOf(run: Promise<void>, names?: SettingNames): Promise<Rejected | undefined> {
  return outcomeOf(
    run.then(
      () => undefined,
      (error: unknown) => {
        throw explained(error, names);
      },
    ),
    'rejected',
  );
}

/** The right server was reached, and signing in failed for a reason that is not known to us. */
export function notSignedIn(cause: unknown): AppError {
  const says = 'The server was reached, but did not complete the sign-in. The log has what it said.';
  return new AppError('NETWORK_ERROR', says, { cause });
}

/** An error of signing in, with a text for the user. */
export function signInFailure(error: unknown): unknown {
  const isExplained = error instanceof OutcomeError || error instanceof AppError || connectionFailureIn(error);
  return isExplained ? error : notSignedIn(error);
}

function explained(error: unknown, names: SettingNames | undefined): unknown {
  if (error instanceof OutcomeError || error instanceof AppError) return error;
  const failure = connectionFailureIn(error, names);
  if (!failure) return error;
  const { reason, isTemporary } = failure;
  return isTemporary ? new AppError('NETWORK_ERROR', reason, { cause: error }) : rejected(reason, { cause: error });
}

function isOutcome<Kind extends Outcome['kind']>(
  error: unknown,
  kinds: readonly Kind[],
): error is OutcomeError & { outcome: Extract<Outcome, { kind: Kind }> } {
  return error instanceof OutcomeError && kinds.some((kind) => kind === error.outcome.kind);
}
