import { imap } from '../../../src/connectors/imap/index.ts';
import type { MailConnector, MailSession } from '../../../src/connectors/mail-connector.ts';

/** The connector, with something in its sessions that is different. */
export function connectorWith(change: (session: MailSession) => Partial<MailSession>): Partial<MailConnector> {
  return {
    async connect(...args) {
      const session = await imap.connect(...args);
      return { ...session, ...change(session) };
    },
  };
}
