import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { imap } from '../connectors/imap/index.ts';
import { identityOf } from '../email/rules/identity.ts';
import type { FetchAssignment } from '../email/sync/bulk-runner.ts';
import { serveSource } from '../email/sync/remote-source.ts';
import { createLog } from '../lib/log.ts';
import { createEmailIndexer } from '../storage/sqlite/email/index-email.ts';

/** The thread that fetches and parses emails for a bulk job. */

const { server, credentials } = workerData as FetchAssignment;
const signal = new AbortController().signal;

const indexEmail = createEmailIndexer();
const session = await imap.connect(server, credentials, { signal, log: createLog({ level: 'warn' }) });
serveSource(parentPort as MessagePort, {
  ...session,
  // What is done here is not left to the thread that stores, which has more to do.
  fetch: (path, range, take) =>
    session.fetch(path, range, (batch) =>
      take(batch.map((mail) => ({ ...mail, identity: identityOf(mail), indexed: indexEmail(mail.email) }))),
    ),
});
