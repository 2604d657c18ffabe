import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi';
import { MailError } from '../../mail-connector.ts';

/** What the codes of RFC 6749 and RFC 8628 mean, to follow the host of the authority. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalid_grant: 'no longer accepts the sign-in: it has expired or was revoked',
  invalid_client: 'does not accept the client: check client_id and client_secret',
  unauthorized_client: 'does not allow this client to sign in like this: check its registration',
  unsupported_grant_type: 'does not support this way of signing in',
  invalid_scope: 'does not know the requested scopes',
  invalid_request: 'does not accept the request: check the client and its redirect URI',
  access_denied: 'says that the sign-in was refused',
  consent_required: 'requires the consent of the user',
  interaction_required: 'requires the user to sign in again',
  login_required: 'requires the user to sign in again',
  expired_token: 'says that the code has expired',
};

/** Failures of the authority itself, which may pass. */
const PASSING = new Set(['server_error', 'temporarily_unavailable', 'slow_down']);

/**
 * An error of the library in our text. Only an error code of the protocol is final. The library's errors may hold tokens, so
 * they are not passed on, not even to the log.
 */
export function toMailError(
  error: unknown,
  host: string,
  otherwise = 'answered something that is not OAuth',
): MailError {
  if (error instanceof MailError) return error;
  const code = codeOf(error);
  if (code !== undefined && !PASSING.has(code) && !isServerFailure(error)) {
    return new MailError('rejected', `${host} ${REFUSALS[code] ?? 'refuses the request'}.`, summary(error));
  }
  const text = isUnreachable(error) ? 'cannot be reached' : code === undefined ? otherwise : 'is not available';
  return new MailError('lost', `${host} ${text}.`, summary(error));
}

/** The error code of the protocol. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof ResponseBodyError || error instanceof AuthorizationResponseError ? error.error : undefined;
}

function isServerFailure(error: unknown): boolean {
  return error instanceof ResponseBodyError && (error.status >= 500 || error.status === 429);
}

function isUnreachable(error: unknown): boolean {
  return (
    error instanceof Error && (['AbortError', 'TimeoutError'].includes(error.name) || error.message === 'fetch failed')
  );
}

function summary(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(typeof error);
  const { code } = error as NodeJS.ErrnoException;
  const reason = error.cause instanceof Error ? ` ${(error.cause as NodeJS.ErrnoException).code ?? ''}` : '';
  const status = error instanceof ResponseBodyError ? ` ${error.status} ${error.error.slice(0, 100)}` : '';
  return new Error(`${error.name} ${code ?? ''}${reason}${status}`.trim());
}
