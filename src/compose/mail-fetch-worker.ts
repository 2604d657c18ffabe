import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { imap } from '../connectors/imap/index.ts';
import { MailError } from '../connectors/mail-connector.ts';
import { identityOf } from '../email/rules/identity.ts';
import type { FetchAssignment, FetcherGreeting } from '../email/sync/bulk-runner.ts';
import { serveSource } from '../email/sync/remote-source.ts';
import { createLog } from '../lib/log.ts';
import { createEmailIndexer } from '../storage/sqlite/email/index-email.ts';

/** The thread that fetches and parses emails for a bulk job. */

const { server, credentials } = workerData as FetchAssignment;
const port = parentPort as MessagePort;
const greet = (greeting: FetcherGreeting) => port.postMessage(greeting);
const indexEmail = createEmailIndexer();
try {
  const { signal } = new AbortController();
  const session = await imap.connect(server, credentials, { signal, log: createLog({ level: 'warn' }) });
  serveSource(port, {
    ...session,
    // What is done here is not left to the thread that stores, which has more to do.
    fetch: (path, range, take) =>
      session.fetch(path, range, (batch) =>
        take(batch.map((mail) => ({ ...mail, identity: identityOf(mail), indexed: indexEmail(mail.email) }))),
      ),
  });
  greet({ isConnected: true });
} catch (error) {
  if (!(error instanceof MailError)) throw error;
  greet({ isConnected: false });
}
