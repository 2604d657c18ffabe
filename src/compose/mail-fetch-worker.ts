import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { imap } from '../connectors/imap/index.ts';
import { type FetchedMail, MailError } from '../connectors/mail-connector.ts';
import type { MailToStore } from '../email/ports.ts';
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
  const indexed = (mail: FetchedMail) => ({ ...mail, identity: identityOf(mail), indexed: indexEmail(mail.email) });
  serveSource(
    port,
    {
      ...session,
      // What is done here is not left to the thread that stores, which has more to do.
      fetch: (path, range, take) => session.fetch(path, range, (batch) => take(batch.map(indexed))),
    },
    (batch) => batch.flatMap(wordsOf),
  );
  greet({ isConnected: true });
} catch (error) {
  if (!(error instanceof MailError)) throw error;
  greet({ isConnected: false });
}

/** The memory of the words, which is handed over instead of copied. */
function wordsOf({ indexed }: Partial<MailToStore>): ArrayBuffer[] {
  return indexed && typeof indexed.words !== 'string' ? [indexed.words.buffer] : [];
}
