import { getCACertificates } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { MailCredentials, MailServer } from '../../mail-connector.ts';
import { signInByToken } from './sign-in-by-token.ts';

export interface Timeouts {
  /** From resolving the name to the end of the TLS handshake. */
  connectMs: number;
  greetingMs: number;
  /** From the beginning until the server asks for the content: after it, the outcome would be unknown to the caller. */
  dialogMs: number;
  /** Without any sign of the server. RFC 5321, section 4.5.3.2, asks for patience after the content. */
  silenceMs: number;
}

export const TIMEOUTS: Timeouts = { connectMs: 30_000, greetingMs: 30_000, dialogMs: 50_000, silenceMs: 300_000 };

/** One signed-in connection to the server. */
export interface SmtpSession {
  connection: SMTPConnection;
  /** Rejects when the connection fails or ends, or when `signal` is aborted; otherwise it stays pending. */
  broken: Promise<never>;
  /** Says goodbye without waiting for an answer. */
  close(): void;
}

/** Throws what nodemailer throws, or the reason of `signal`. */
export async function openSession(
  server: MailServer,
  credentials: MailCredentials,
  signal: AbortSignal,
  timeouts: Timeouts,
): Promise<SmtpSession> {
  signal.throwIfAborted();
  const connection = new SMTPConnection(optionsOf(server, credentials, timeouts));
  const session = watched(connection, signal);
  try {
    await Promise.race([session.broken, connected(connection)]);
    await Promise.race([session.broken, signedIn(connection, credentials)]);
    return session;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function optionsOf({ host, port, tls, ca }: MailServer, credentials: MailCredentials, timeouts: Timeouts) {
  return {
    host,
    port,
    secure: tls === true,
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === false,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    dnsTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
    // The machine's own name is nobody's business.
    name: '[127.0.0.1]',
    tls: {
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2' as const,
      ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
    },
    ...('accessToken' in credentials ? { customAuth: { TOKEN: signInByToken(credentials, { host, port }) } } : {}),
  };
}

function watched(connection: SMTPConnection, signal: AbortSignal): SmtpSession {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  connection.on('error', reject);
  // Later than what the connection itself has to say about its end.
  connection.on('end', () => setImmediate(() => reject(new Error('the connection ended'))));
  const abort = () => {
    reject(signal.reason);
    connection.close();
  };
  signal.addEventListener('abort', abort, { once: true });
  connection.once('end', () => signal.removeEventListener('abort', abort));
  return {
    connection,
    broken,
    close() {
      connection.quit();
      connection.close();
    },
  };
}

function connected(connection: SMTPConnection): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  connection.connect((error) => (error ? reject(error) : resolve()));
  return promise;
}

function signedIn(connection: SMTPConnection, credentials: MailCredentials): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const how =
    'accessToken' in credentials
      ? { user: credentials.user, method: 'TOKEN' }
      : { user: credentials.user, credentials: { user: credentials.user, pass: credentials.password } };
  connection.login(how, (error) => (error ? reject(error) : resolve()));
  return promise;
}
