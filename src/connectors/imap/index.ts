import type { MailConnector } from '../mail-connector.ts';
import { parseEmail } from './mime/parse-email.ts';
import { smtp } from './smtp/index.ts';

<<<<<<< HEAD
/** Mail over IMAP and SMTP. The libraries are loaded when the first account connects or sends. */
export const mailConnector: MailConnector = {
=======
/** Mail over IMAP and SMTP. Their libraries are loaded when an account connects or sends. */
export const imap: MailConnector = {
  ...smtp,
>>>>>>> imap
  async connect(server, credentials, options) {
    const { openSession } = await import('./session/open-session.ts');
    return openSession(server, credentials, options);
  },
  parse: (bytes) => parseEmail(bytes),
<<<<<<< HEAD
  ...smtp,
=======
>>>>>>> imap
};
