import { getCACertificates } from 'node:tls';
import { ImapFlow } from 'imapflow';
import { version } from '../../../lib/version.ts';
import { type MailCredentials, MailError, type MailServer } from '../../mail-connector.ts';
import { cancelled, noAnswer, signInFailure } from './failure.ts';
import { MAX_LINE_BYTES, MAX_LITERAL_BYTES, type SessionLimits } from './limits.ts';

const SOCKET_MS = 3_600_000;

export interface SignedIn {
  client: ImapFlow;
  /** What the paths of the user's own folders begin with on some servers: `INBOX.` */
  prefix: string;
}

/** Throws MailError. */
export async function signIn(
  server: MailServer,
  credentials: MailCredentials,
  signal: AbortSignal,
  limits: SessionLimits,
): Promise<SignedIn> {
  checkCredentials(credentials);
  if (signal.aborted) throw cancelled(signal);
  const client = new ImapFlow(optionsOf(server, credentials, limits));
  // Without a listener an error would end the process. What it means is known from the rejected command and from `close`.
  client.on('error', () => undefined);
  const abort = () => client.close();
  signal.addEventListener('abort', abort, { once: true });
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      client.close();
    },
    limits.connectMs + limits.greetingMs + limits.silenceMs,
  );
  try {
    await client.connect();
  } catch (error) {
    client.close();
    if (signal.aborted) throw cancelled(signal);
    throw isLate ? noAnswer(error) : signInFailure(error, server, credentials);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
  if (signal.aborted) throw cancelled(signal);
  const { prefix = '' } = client.namespace ?? {};
  // Otherwise the prefix of the personal namespace is put before folders outside of it.
  if (client.namespace) client.namespace = { ...client.namespace, prefix: '' };
  return { client, prefix };
}

function optionsOf({ host, port, tls, ca }: MailServer, credentials: MailCredentials, limits: SessionLimits) {
  return {
    host,
    port,
    secure: tls === true,
    doSTARTTLS: tls === 'starttls' ? true : tls === false ? false : undefined,
    tls: {
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2' as const,
      ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
    },
    auth:
      'accessToken' in credentials
        ? { user: credentials.user, accessToken: credentials.accessToken }
        : { user: credentials.user, pass: credentials.password },
    clientInfo: { name: 'Switchboard', version: version(), vendor: '', 'support-url': '' },
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.greetingMs,
    // Our own watchdog is stricter, and knows when a silence is ours.
    socketTimeout: SOCKET_MS,
    maxLiteralSize: MAX_LITERAL_BYTES,
    maxLineLength: MAX_LINE_BYTES,
    maxResponseSize: MAX_LITERAL_BYTES + MAX_LINE_BYTES,
    qresync: true,
    // Inflating costs the event loop more than most networks save.
    disableCompression: true,
    disableAutoIdle: true,
    disableIMAP4rev2: true,
    logger: false as const,
  };
}

/** Control characters would end the command, or separate the fields of what is sent to sign in. */
function checkCredentials(credentials: MailCredentials): void {
  if (Object.values(credentials).some((value) => /[\x00-\x1f\x7f]/.test(value))) {
    throw new MailError('rejected', 'The user name or the password contains control characters.');
  }
}
