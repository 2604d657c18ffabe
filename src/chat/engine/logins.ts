import type { Login, LoginEnd, LoginStep } from '../../connectors/connector.ts';
import { AppError } from '../../domain/errors.ts';
import { createDialogs, type DialogProgress } from '../../lib/dialogs.ts';

/** Progress of a sign-in: a step to show, or its end. */
export type LoginProgress = { kind: 'step'; loginId: string; step: LoginStep } | LoginEnd;

/** Continues a sign-in: with an answer, or without one to see its step again. */
export interface LoginAnswer {
  loginId?: string | undefined;
  answer?: string | undefined;
  /** The identity that signs in: only the one that began can continue. */
  by: string;
}

/** How long a caller waits for a code to be scanned before it is shown the same code again. */
const SCAN_MS = 20_000;
/** A sign-in without an answer for this long has to be started again. */
const EXPIRY_MS = 10 * 60_000;

/** The running sign-ins, one for each source. They end with this process. */
export function createLogins({ scanMs = SCAN_MS, expiryMs = EXPIRY_MS } = {}) {
  const dialogs = createDialogs<LoginStep, LoginEnd>({
    isWaiting: ({ kind }) => kind === 'show-qr',
    waitMs: scanMs,
    expiryMs,
  });

  return {
    /** Begins to sign in, or continues if `loginId` is given. */
    async run(source: string, open: (signal: AbortSignal) => Login, { loginId, answer, by }: LoginAnswer) {
      const about = { subject: source, by };
      const progress =
        loginId === undefined ? await dialogs.begin(about, open) : await dialogs.resume(about, loginId, answer);
      if (!progress) throw unknownLogin(source);
      return toLoginProgress(progress);
    },
    /** Ends the sign-in of a source. */
    end: dialogs.end,
    stop: dialogs.stop,
  };
}

function toLoginProgress(progress: DialogProgress<LoginStep, LoginEnd>): LoginProgress {
  return progress.kind === 'end' ? progress.end : { kind: 'step', loginId: progress.id, step: progress.step };
}

function unknownLogin(source: string): AppError {
  return new AppError('CONFLICT', 'This sign-in has ended, or was never begun.', {
    field: 'login_id',
    hint: `Begin again: switchboard chat login ${source}`,
  });
}
