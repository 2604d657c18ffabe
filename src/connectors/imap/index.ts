import type { MailConnector } from '../mail-connector.ts';
import { parseEmail } from './mime/parse-email.ts';

/** Reading mail with IMAP. The library is loaded when the first account connects. */
export const imap: Pick<MailConnector, 'connect' | 'parse'> = {
  async connect(server, credentials, options) {
    const { openSession } = await import('./session/open-session.ts');
    return openSession(server, credentials, options);
  },
  parse: (bytes) => parseEmail(bytes, { isTruncated: false }),
};
