import type { NodemailerError } from 'nodemailer/lib/errors';
import { type Refusal, refusalOf, type Step } from './refusal.ts';

/** Why nothing was sent, in our own text. */
export interface Failure {
  reason: string;
  /** Whether a later attempt may succeed without a change of settings or content. */
  retry: boolean;
  /** Whether the server refused the credentials. */
  isSignInRefused?: true;
}

const NOT_TRUSTED = 'The certificate of the server is not trusted: name it in `ca` if it is one of your own.';
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate of the server has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the server is not valid yet; check the clock of this machine.',
  CERT_REVOKED: 'The certificate of the server has been revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is of another server: its names do not include this host.',
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  CERT_UNTRUSTED: NOT_TRUSTED,
  CERT_SIGNATURE_FAILURE: NOT_TRUSTED,
  INVALID_CA: NOT_TRUSTED,
  INVALID_PURPOSE: NOT_TRUSTED,
  CERT_CHAIN_TOO_LONG: NOT_TRUSTED,
};
const NO_TLS = 'The server does not use TLS from the beginning on this port: check `port` and `tls`.';
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server cannot be reached: it refuses connections to this port.',
  ENOTFOUND: 'The name of the server cannot be resolved: check `host`, and whether this machine is online.',
  EDNS: 'The name of the server cannot be resolved: check `host`, and whether this machine is online.',
  EAI_AGAIN: 'The name of the server cannot be resolved at the moment.',
  EHOSTUNREACH: 'The server cannot be reached from here.',
  ENETUNREACH: 'The server cannot be reached from here.',
  ETIMEDOUT: 'The server did not answer in time.',
};

/** What failed before the content was handed over, or what the server answered to the content. */
export function failureOf(thrown: unknown): Failure {
  const error = asMailerError(thrown);
  const step = stepOf(error);
  const refusal = error.response === undefined ? undefined : refusalOf(error.response, step);
  if (error.code === 'ETLS' && refusal) {
    return {
      reason: 'The server offers no encryption (STARTTLS), which this account requires.',
      retry: refusal.isTemporary,
    };
  }
  if (refusal) return { reason: refusal.reason, retry: refusal.isTemporary, ...signInRefused(step, refusal) };
  return (
    certificateFailure(error) ??
    (isTooLarge(error) ? { reason: 'The email is larger than the server accepts.', retry: false } : undefined) ??
    (error.code === 'EAUTH' ? { reason: 'Signing in to the server failed.', retry: false } : undefined) ??
    (error.code === 'EENVELOPE' ? { reason: 'An address cannot be given to the server.', retry: false } : undefined) ??
    networkFailure(error)
  );
}

function signInRefused(step: Step, { isTemporary }: Refusal): { isSignInRefused?: true } {
  return step === 'sign-in' && !isTemporary ? { isSignInRefused: true } : {};
}

/** Whether the server gave a definite answer to the content. */
export function isRefusalOfContent(thrown: unknown): boolean {
  const { command, response = '' } = asMailerError(thrown);
  return command === 'DATA' && refusalOf(response, 'message') !== undefined;
}

function certificateFailure({ code = '', originalCode = '' }: NodemailerError): Failure | undefined {
  const reason = CERTIFICATES[originalCode] ?? CERTIFICATES[code];
  if (reason !== undefined) return { reason, retry: false };
  return /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|EPROTO$/.test(originalCode)
    ? { reason: NO_TLS, retry: false }
    : undefined;
}

function networkFailure({ code = '', originalCode = '' }: NodemailerError): Failure {
  const reason = NETWORK[originalCode] ?? NETWORK[code] ?? 'The connection to the server was lost.';
  return { reason, retry: true };
}

/** nodemailer itself compares with the limit that the server announces. */
function isTooLarge({ code, response, command }: NodemailerError): boolean {
  return code === 'EMESSAGE' && response === undefined && command === 'MAIL FROM';
}

function stepOf({ command = '', code }: NodemailerError): Step {
  if (command.startsWith('AUTH') || code === 'EAUTH') return 'sign-in';
  if (command === 'MAIL FROM') return 'sender';
  if (command === 'RCPT TO') return 'recipient';
  return command === 'DATA' ? 'message' : 'connect';
}

function asMailerError(thrown: unknown): NodemailerError {
  return thrown instanceof Error ? thrown : new Error('unknown', { cause: thrown });
}
