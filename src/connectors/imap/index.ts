import type { MailConnector } from '../mail-connector.ts';
import { contentHash } from '../mime/content-hash.ts';
import { parseEmail } from '../mime/parse-email.ts';
import { MAX_EMAIL_BYTES } from './session/limits.ts';
import { smtp } from './smtp/index.ts';

export { mailDiscovery } from './discovery/index.ts';
export { mailOAuth } from './oauth/index.ts';

/** Mail over IMAP and SMTP. Their libraries are loaded when an account connects or sends. */
export const imap: MailConnector = {
  ...smtp,
  async connect(server, credentials, options) {
    const { openSession } = await import('./session/open-session.ts');
    return openSession(server, credentials, options);
  },
  parse: (bytes, options) => parseEmail(bytes, options),
  contentHash: (bytes) => contentHash(bytes.subarray(0, MAX_EMAIL_BYTES), bytes.length),
};
