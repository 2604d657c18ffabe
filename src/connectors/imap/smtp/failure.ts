import type { NodemailerError } from 'nodemailer/lib/errors';
import { connectionFailure } from '../../connection-failure.ts';
import { type Refusal, refusalOf, type Step } from './refusal.ts';

/** Why nothing was sent, in our own text. */
export interface Failure {
  reason: string;
  /** Whether a later attempt may succeed without a change of settings or content. */
  retry: boolean;
  /** Whether the server refused the credentials. */
  isSignInRefused?: true;
}

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
  const recipients = refusedRecipients(error);
  if (recipients.length > 1) return forAll(recipients);
  if (refusal) return { reason: refusal.reason, retry: refusal.isTemporary, ...signInRefused(step, refusal) };
  return (
    settingFailure(error) ??
    (isTooLarge(error) ? { reason: 'The email is larger than the server accepts.', retry: false } : undefined) ??
    (error.code === 'EAUTH' ? { reason: 'Signing in to the server failed.', retry: false } : undefined) ??
    (error.code === 'EENVELOPE' ? { reason: 'An address cannot be given to the server.', retry: false } : undefined) ??
    networkFailure(error)
  );
}

interface RefusedRecipient {
  address: string;
  reason: string;
  isTemporary: boolean;
}

/** The recipients that the server refused, each with its reason. */
export function refusedRecipients({
  rejectedErrors = [],
}: Pick<NodemailerError, 'rejectedErrors'>): RefusedRecipient[] {
  return rejectedErrors.map(({ recipient = '', response = '' }) => {
    const refusal = refusalOf(response, 'recipient');
    return { address: recipient, ...(refusal ?? UNCLEAR) };
  });
}

const UNCLEAR: Refusal = { reason: 'The server does not accept this address.', isTemporary: false };
/** More are only counted. */
const MAX_NAMED = 10;

function forAll(recipients: readonly RefusedRecipient[]): Failure {
  const named = recipients.slice(0, MAX_NAMED).map(({ address, reason }) => `${address}: ${reason}`);
  const others = recipients.length - named.length;
  return {
    reason: [...named, ...(others > 0 ? [`And ${others} more.`] : [])].join(' '),
    retry: recipients.some(({ isTemporary }) => isTemporary),
  };
}

function signInRefused(step: Step, { isTemporary }: Refusal): { isSignInRefused?: true } {
  return step === 'sign-in' && !isTemporary ? { isSignInRefused: true } : {};
}

/** Whether the server gave a definite answer to the content. */
export function isRefusalOfContent(thrown: unknown): boolean {
  const { command, response = '' } = asMailerError(thrown);
  return command === 'DATA' && refusalOf(response, 'message') !== undefined;
}

/** A certificate that is not trusted, or no TLS at all. */
function settingFailure(error: NodemailerError): Failure | undefined {
  const failure = connectionFailureOf(error);
  return failure && !failure.isTemporary ? { reason: failure.reason, retry: false } : undefined;
}

function networkFailure(error: NodemailerError): Failure {
  return { reason: connectionFailureOf(error)?.reason ?? 'The connection to the server was lost.', retry: true };
}

function connectionFailureOf({ code = '', originalCode = '' }: NodemailerError) {
  return connectionFailure(originalCode) ?? connectionFailure(code);
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
