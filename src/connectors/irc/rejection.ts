import { type OutcomeError, rejected } from '../outcome-error.ts';

/** Replies to the registration after which a retry is useless, with our texts. */
const REFUSALS: Readonly<Record<string, string>> = {
  '432': 'The server does not accept the nickname.',
  '464': 'The server did not accept its password.',
  '465': 'The server has banned this user.',
};
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** The rejection in a line during registration, if any. */
export function refusalIn(command: string, params: readonly string[]): OutcomeError | undefined {
  const words = REFUSALS[command];
  if (words !== undefined) return rejected(words, { cause: params.at(-1) });
  if (command === 'FAIL' && params[1] === 'ACCOUNT_REQUIRED') {
    return rejected('The server lets only accounts in: set `account` and `password`.', { cause: params.at(-1) });
  }
  return undefined;
}

/** Why SASL failed. */
export function refusedAccount(reason: unknown): Error {
  // Not listed: services that are temporarily unavailable.
  if (reason === 'capability_missing') return new Error('the server offers no signing in (SASL) at the moment');
  if (reason === 'unsupported_mechanism') {
    return rejected('The server does not offer signing in by a password (SASL PLAIN).');
  }
  return rejected('The account or its password was not accepted.', { cause: reason });
}

/** Why a connection ended; an untrusted certificate is a rejection. */
export function endOf(cause: (Error & { code?: string }) | undefined): Error {
  if (cause?.code !== undefined && UNTRUSTED.has(cause.code)) {
    return rejected('The certificate of the server is not trusted: name it in `ca` if it is one of your own.', {
      cause,
    });
  }
  return new Error('the connection to the server ended', { cause });
}
