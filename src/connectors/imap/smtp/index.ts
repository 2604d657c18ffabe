import type { MailConnector } from '../../mail-connector.ts';

/** Writing and sending email. nodemailer is loaded when something is written or sent. */
export const smtp: Pick<MailConnector, 'send' | 'checkSending' | 'build'> = {
  async send(server, credentials, outgoing) {
    const { sendEmail } = await import('./send.ts');
    return sendEmail(server, credentials, outgoing);
  },
  async checkSending(server, credentials, signal) {
    const { checkSending } = await import('./send.ts');
    return checkSending(server, credentials, signal);
  },
  async build(draft) {
    const { buildEmail } = await import('./build.ts');
    return buildEmail(draft);
  },
};
