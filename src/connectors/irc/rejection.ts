import { AppError } from '../../domain/errors.ts';
import { type OutcomeError, rejected } from '../outcome-error.ts';

/** Replies to the registration after which a retry is useless, with our texts. */
const REFUSALS: Readonly<Record<string, string>> = {
  '432': 'The server does not accept the nickname.',
  '464': 'The server did not accept its password.',
  '465': 'The server has banned this user.',
};
/** The rejection in a line during registration, if any. */
export function refusalIn(command: string, params: readonly string[], hasAccount: boolean): OutcomeError | undefined {
  const words = REFUSALS[command];
  if (words !== undefined) return rejected(words, { cause: params.at(-1) });
  if (command === 'FAIL' && params[1] === 'ACCOUNT_REQUIRED') {
    return onlyAccounts(params.at(-1));
  }
  // Networks that let some addresses in only with an account say so when they end the connection.
  const isAboutSasl = command === 'ERROR' && /\bSASL\b/i.test(params.at(-1) ?? '');
  return isAboutSasl && !hasAccount ? onlyAccounts(params.at(-1)) : undefined;
}

function onlyAccounts(cause: unknown): OutcomeError {
  return rejected('The server lets only accounts in: set `account` and `password`.', { cause });
}

/** Why SASL failed. */
export function refusedAccount(reason: unknown): Error {
  // Not listed: services that are temporarily unavailable.
  if (reason === 'capability_missing') return withoutSasl();
  if (reason === 'unsupported_mechanism') {
    return rejected('The server does not offer signing in by a password (SASL PLAIN).');
  }
  return rejected('The account or its password was not accepted.', { cause: reason });
}

export function withoutSasl(): AppError {
  return new AppError('NETWORK_ERROR', 'The server offers no sign-in to an account (SASL) at the moment.');
}
