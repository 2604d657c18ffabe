import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi';
import { AppError } from '../../domain/errors.ts';
import { RedirectFailure } from '../../lib/redirect-listener.ts';

/** What the codes of RFC 6749 and RFC 8628 mean, to follow the host of the authorization server. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalid_grant: 'no longer accepts the login: it has expired or was revoked',
  invalid_client: 'does not accept the client: check client_id and the secret oauth_client_secret',
  unauthorized_client: 'does not allow this client to log in like this',
  unsupported_grant_type: 'does not support this kind of login',
  invalid_scope: 'does not know the requested scopes',
  invalid_target: 'does not issue tokens for this server',
  invalid_request: 'does not accept the request: check the client and its redirect URI',
  access_denied: 'says that the login was refused',
  expired_token: 'says that the code has expired',
};

/** Failures of the authorization server itself, which may pass. */
const PASSING = new Set(['server_error', 'temporarily_unavailable', 'slow_down']);
const MAX_CAUSE = 500;

/** The error code of the protocol, where it is final. */
export function refusalOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const isServers = error instanceof ResponseBodyError && (error.status >= 500 || error.status === 429);
  return code === undefined || PASSING.has(code) || isServers ? undefined : code;
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof ResponseBodyError || error instanceof AuthorizationResponseError ? error.error : undefined;
}

/** An error of the library or the network in our text. The library's own errors may hold tokens, so they are not passed on. */
export function toOAuthFailure(error: unknown, host: string): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof RedirectFailure) return ofRedirect(error);
  const cause = summary(error);
  const code = refusalOf(error);
  if (code !== undefined) {
    const meaning = Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : 'refuses the login';
    return new AppError('UNAUTHENTICATED', `${host} ${meaning}.`, { cause });
  }
  if (isUnreachable(error)) {
    return new AppError('NETWORK_ERROR', `${host} cannot be reached.`, { cause });
  }
  const text = codeOf(error) === undefined ? 'answered something that is not OAuth' : 'is not available';
  return new AppError('SERVICE_UNAVAILABLE', `${host} ${text}.`, { cause });
}

function ofRedirect({ reason, cause }: RedirectFailure): AppError {
  if (reason === 'cancelled') return cancelled();
  if (reason === 'timeout') return new AppError('TIMEOUT', 'The login was not completed in time.');
  return new AppError('CONFLICT', 'The port that redirect_uri names is in use on this machine.', { cause });
}

export function cancelled(): AppError {
  return new AppError('UNAUTHENTICATED', 'The login was cancelled.');
}

function isUnreachable(error: unknown): boolean {
  return (
    error instanceof Error && (['AbortError', 'TimeoutError'].includes(error.name) || error.message === 'fetch failed')
  );
}

function summary(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(typeof error);
  const { code } = error as NodeJS.ErrnoException;
  const parts = [error.name, code];
  if (error.cause instanceof Error) parts.push((error.cause as NodeJS.ErrnoException).code);
  if (error instanceof ResponseBodyError) parts.push(String(error.status));
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    parts.push(error.error, error.error_description);
  }
  return new Error(
    parts
      .filter((part) => typeof part === 'string')
      .join(' ')
      .slice(0, MAX_CAUSE),
  );
}
