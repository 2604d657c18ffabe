import type { SessionLimits } from '../../../src/connectors/imap/session/limits.ts';
import { openSession } from '../../../src/connectors/imap/session/open-session.ts';
import type { FetchedMail, MailSession, UidRange } from '../../../src/connectors/mail-connector.ts';
import type { MailServer } from './mail-server.ts';

export const SILENT = { debug: () => undefined };
/** All UIDs that there can be. */
export const EVERYTHING: UidRange = { from: 1, to: 4_294_967_295 };

interface SessionChoices {
  user?: string;
  tls?: boolean | 'starttls';
  port?: number;
  signal?: AbortSignal;
  limits?: Partial<SessionLimits>;
  credentials?: { user: string; password: string } | { user: string; accessToken: string };
  /** Certificates to trust; by default the server's. */
  ca?: string | null;
}

/** A session of Alice, with TLS; it is closed when the test ends. */
export async function sessionOn(
  context: { after(end: () => Promise<void>): void },
  server: MailServer,
  choices: SessionChoices = {},
): Promise<MailSession> {
  const session = await openSessionOn(server, choices);
  context.after(() => session.close());
  return session;
}

/** The same without a test that would close it. */
export async function openSessionOn(server: MailServer, choices: SessionChoices = {}): Promise<MailSession> {
  const { user = 'alice', tls = true, signal = new AbortController().signal, ca = server.ca.pem } = choices;
  const { address, password } = server.user(user);
  const port = choices.port ?? (tls === true ? server.ports.imaps : server.ports.imap);
  return openSession(
    { host: server.host, port, tls, ...(ca === null ? {} : { ca }) },
    choices.credentials ?? { user: address, password },
    { signal, log: SILENT },
    { quietMs: 1, ...choices.limits },
  );
}

export async function fetchAll(session: MailSession, path: string, range = EVERYTHING): Promise<FetchedMail[]> {
  const mails: FetchedMail[] = [];
  await session.fetch(path, range, async (batch) => {
    mails.push(...batch);
  });
  return mails;
}

/** A short email. */
export function mailText(subject: string, { id = `${subject}@test`, body = 'Text' } = {}): string {
  const head = ['From: Bob <bob@example.test>', 'To: alice@example.test', `Subject: ${subject}`, `Message-ID: <${id}>`];
  return `${head.join('\r\n')}\r\n\r\n${body}\r\n`;
}
