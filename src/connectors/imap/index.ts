import type { MailConnector } from '../mail-connector.ts';
import { parseEmail } from './mime/parse-email.ts';
import { smtp } from './smtp/index.ts';

/** Mail over IMAP and SMTP. The libraries are loaded when the first account connects or sends. */
export const mailConnector: MailConnector = {
  async connect(server, credentials, options) {
    const { openSession } = await import('./session/open-session.ts');
    return openSession(server, credentials, options);
  },
  parse: (bytes) => parseEmail(bytes),
  ...smtp,
};
