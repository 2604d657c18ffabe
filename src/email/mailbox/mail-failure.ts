import { MailError } from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';

/** A failure of a mail server, as a caller sees it. Other errors remain as they are. */
export function mailFailure(error: unknown, account: string, more: { hint?: string } = {}): unknown {
  if (!(error instanceof MailError)) return error;
  const code = error.kind === 'refused' ? 'SERVICE_UNAVAILABLE' : 'NETWORK_ERROR';
  return new AppError(code, `The server of the account '${account}' did not do this. ${error.message}`, {
    field: 'account',
    cause: error.cause,
    ...more,
  });
}
