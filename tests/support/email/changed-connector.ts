import { imap } from '../../../src/connectors/imap/index.ts';
import type { MailConnector, MailSession } from '../../../src/connectors/mail-connector.ts';

/** The connector, with something in its sessions that is different. */
export function connectorWith(change: (session: MailSession) => Partial<MailSession>): Partial<MailConnector> {
  return {
    async connect(...args) {
      const session = await imap.connect(...args);
      const changes = change(session);
      // What a test says about the state of a folder is asked for.
      const list: Partial<MailSession> = changes.status ? { folders: () => session.folders() } : {};
      return { ...session, ...list, ...changes };
    },
  };
}
