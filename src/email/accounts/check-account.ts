import {
  type MailConnector,
  type MailCredentials,
  MailError,
  type MailServer,
} from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';
import type { Log } from '../../lib/log.ts';
import { type Account, presetOf } from './account.ts';
import type { MailAccess } from './mail-access.ts';

interface CheckParts {
  mail(): Promise<MailConnector>;
  access: Pick<MailAccess, 'servers'>;
  log: Log;
}

/** Signs in to the servers of an account, and changes nothing there. Throws AppError: which server, why, what to do. */
export async function checkAccount(
  account: Account,
  credentials: MailCredentials,
  { mail, access, log }: CheckParts,
  signal: AbortSignal,
): Promise<void> {
  const [connector, { imap, smtp }] = await Promise.all([mail(), access.servers(account)]).catch((error: unknown) => {
    throw accountFailure(error, account);
  });
  await attempt(account, { protocol: 'IMAP', server: imap }, async () => {
    const session = await connector.connect(imap, credentials, { signal, log });
    await session.close();
  });
  if (!smtp) return;
  await attempt(account, { protocol: 'SMTP', server: smtp }, () => connector.checkSending(smtp, credentials, signal));
}

interface Target {
  protocol: 'IMAP' | 'SMTP';
  server: MailServer;
}

async function attempt(account: Account, { protocol, server }: Target, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw accountFailure(error, account, ` to ${server.host}:${server.port} (${protocol})`);
  }
}

/** A failed sign-in, as a caller sees it. Other errors remain as they are. */
export function accountFailure(error: unknown, account: Account, where = ''): unknown {
  if (!(error instanceof MailError)) return error;
  const { email, settings } = account;
  const message = `Signing in${where} as ${settings.auth.user ?? email} failed. ${error.message}`;
  if (error.kind === 'lost') return new AppError('NETWORK_ERROR', message, { cause: error.cause });
  const preset = presetOf(account);
  const hint = preset && `${preset.name} ${preset.password.rule}: ${preset.password.page}`;
  return new AppError('VALIDATION_ERROR', message, { cause: error.cause, hint });
}
