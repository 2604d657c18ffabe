import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { imap } from '../connectors/imap/index.ts';
import type { FetchAssignment } from '../email/sync/bulk-runner.ts';
import { serveSource } from '../email/sync/remote-source.ts';
import { createLog } from '../lib/log.ts';
import { indexEmail } from '../storage/sqlite/email/index-email.ts';

/** The thread that fetches and parses emails for a bulk job. */

const { server, credentials } = workerData as FetchAssignment;
const signal = new AbortController().signal;

const session = await imap.connect(server, credentials, { signal, log: createLog({ level: 'warn' }) });
serveSource(parentPort as MessagePort, {
  ...session,
  // Splitting texts into words here leaves less to do for the thread that stores.
  fetch: (path, range, take) =>
    session.fetch(path, range, (batch) => take(batch.map((each) => ({ ...each, indexed: indexEmail(each.email) })))),
});
