import { connectionFailure } from '../../connection-failure.ts';
import { type MailCredentials, MailError, type MailServer } from '../../mail-connector.ts';

/** An error of a callback, in `cause`: it is the caller's own. */
export class CallerError extends Error {}

/** What imapflow puts on its errors. */
interface ImapError extends Error {
  code?: string;
  /** `NO` or `BAD`. */
  responseStatus?: string;
  /** In brackets before the text of the answer: `OVERQUOTA`. */
  serverResponseCode?: string;
  responseText?: string;
  /** The server's last words. */
  reason?: string;
  authenticationFailed?: boolean;
  tlsFailed?: boolean;
  mailboxMissing?: boolean;
}

const NO_ANSWER = 'The server did not answer in time.';
const LOST = 'The connection to the server was lost.';
/** Servers that limit sessions say so in their text only. */
const TOO_MANY = /too many|maximum number|simultaneous|connection limit|rate limit/i;
const TOO_MANY_SESSIONS = 'The server allows no more connections to this account at the moment.';
const NO_FOLDER = 'The folder does not exist on the server.';

/** Answers to a command, by their code (RFC 5530). */
const REFUSALS: Readonly<Record<string, string>> = {
  NONEXISTENT: NO_FOLDER,
  TRYCREATE: NO_FOLDER,
  NOTFOUND: NO_FOLDER,
  ALREADYEXISTS: 'The folder exists already.',
  OVERQUOTA: 'The mailbox is full.',
  NOPERM: 'The server does not permit this.',
  CANNOT: 'The server cannot do this.',
  LIMIT: 'A limit of the server was reached.',
  TOOBIG: 'The email is larger than the server accepts.',
  APPENDLIMIT: 'The email is larger than the server accepts.',
  INUSE: 'The folder is in use; try again later.',
  UNAVAILABLE: 'A part of the server is not available; try again later.',
  EXPUNGEISSUED: 'Some of the emails are gone.',
  READONLY: 'The folder cannot be changed.',
};

export function cancelled(signal: AbortSignal): MailError {
  return new MailError('lost', 'The connection was closed.', signal.reason);
}

export function noAnswer(cause: unknown): MailError {
  return new MailError('lost', NO_ANSWER, cause);
}

/** Why a connection was not made, or why the server did not let us in. */
export function signInFailure(thrown: unknown, server: MailServer, credentials: MailCredentials): MailError {
  const error = asImapError(thrown);
  const connection = connectionFailure(error.code ?? '');
  if (connection) return new MailError(connection.isTemporary ? 'lost' : 'rejected', connection.reason, error);
  const said = `${error.responseText ?? ''} ${error.reason ?? ''}`;
  if (TOO_MANY.test(said)) return new MailError('lost', TOO_MANY_SESSIONS, error);
  if (error.tlsFailed) return tlsFailure(error);
  if (error.authenticationFailed) return authenticationFailure(error, server, credentials);
  if (error.message === 'Unsupported authentication mechanism') {
    return new MailError('rejected', unsupported(credentials), error);
  }
  return new MailError('lost', silence(error, server) ?? lastWords(error) ?? LOST, error);
}

/** Why a command failed. */
export function commandFailure(thrown: unknown): MailError | CallerError {
  if (thrown instanceof MailError || thrown instanceof CallerError) return thrown;
  const error = asImapError(thrown);
  if (error.mailboxMissing || error.code === 'NotFound') return new MailError('refused', NO_FOLDER, error);
  if (error.responseStatus !== undefined) return refusal(error.serverResponseCode, error);
  if (error.serverResponseCode !== undefined) return refusal(error.serverResponseCode, error);
  if (/^Invalid(String|Token|Text)Value$/.test(error.code ?? '')) {
    return new MailError('refused', 'The name contains characters that cannot be given to the server.', error);
  }
  return lost(error);
}

/** The server answered NO or BAD, with this code. */
export function refusal(code: string | undefined, cause?: unknown): MailError {
  return new MailError('refused', REFUSALS[code ?? ''] ?? 'The server refused the command.', cause);
}

/** The connection is over, by itself. */
export function lost(thrown: unknown): MailError {
  const error = asImapError(thrown);
  const reason = connectionFailure(error.code ?? '')?.reason ?? (isTimeout(error) ? NO_ANSWER : lastWords(error));
  return new MailError('lost', reason ?? LOST, thrown);
}

function tlsFailure(error: ImapError): MailError {
  if (error.code === 'UPGRADE_TIMEOUT') return noAnswer(error);
  if (error.code === 'STARTTLS_INJECTION') {
    return new MailError('rejected', 'Something between here and the server interferes with the encryption.', error);
  }
  if (error.code === undefined) {
    return new MailError('rejected', 'The server offers no encryption (STARTTLS), which this account requires.', error);
  }
  return lost(error);
}

function authenticationFailure(error: ImapError, { tls }: MailServer, credentials: MailCredentials): MailError {
  if (error.message === 'Login is disabled' && tls === false) {
    return new MailError('rejected', 'The server lets nobody sign in without encryption: set `tls`.', error);
  }
  if (error.message === 'Login is disabled' || error.message === 'No matching authentication method') {
    return new MailError('rejected', unsupported(credentials), error);
  }
  if (error.serverResponseCode === 'PRIVACYREQUIRED') {
    return new MailError('rejected', 'The server lets nobody sign in without encryption: set `tls`.', error);
  }
  // Signing in could not be checked at all; the second is Outlook's answer when it is overloaded.
  if (error.serverResponseCode === 'UNAVAILABLE' || (error.serverResponseCode === undefined && isUnconnected(error))) {
    return new MailError('lost', 'The server cannot let anybody sign in at the moment.', error);
  }
  if (error.serverResponseCode === 'LIMIT' || error.serverResponseCode === 'INUSE') {
    return new MailError('lost', TOO_MANY_SESSIONS, error);
  }
  const reason =
    'accessToken' in credentials
      ? 'The server did not accept the access token.'
      : 'The user name or the password was not accepted.';
  return new MailError('rejected', reason, error);
}

function isUnconnected(error: ImapError & { response?: unknown }): boolean {
  return /authenticated but not connected/i.test(`${error.response ?? ''} ${error.responseText ?? ''}`);
}

function unsupported(credentials: MailCredentials): string {
  return 'accessToken' in credentials
    ? 'The server does not accept access tokens (OAuth) on this port.'
    : 'The server does not accept passwords on this port.';
}

function silence(error: ImapError, { tls }: MailServer): string | undefined {
  if (error.code === 'GREETING_TIMEOUT' && tls !== true) {
    return 'The server did not greet in time. If it uses TLS from the beginning on this port, set `tls: true`.';
  }
  return isTimeout(error) ? NO_ANSWER : undefined;
}

function isTimeout({ code }: ImapError): boolean {
  return code !== undefined && ['GREETING_TIMEOUT', 'CONNECT_TIMEOUT', 'ETIMEOUT', 'UPGRADE_TIMEOUT'].includes(code);
}

function lastWords({ reason }: ImapError): string | undefined {
  return reason === undefined ? undefined : 'The server ended the connection.';
}

function asImapError(thrown: unknown): ImapError {
  return thrown instanceof Error ? thrown : new Error('unknown', { cause: thrown });
}
