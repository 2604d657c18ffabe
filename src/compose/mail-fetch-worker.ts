import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { imap } from '../connectors/imap/index.ts';
import { MailError } from '../connectors/mail-connector.ts';
import type { FetchAssignment, FetcherGreeting } from '../email/sync/bulk-runner.ts';
import { serveSource } from '../email/sync/remote-source.ts';
import { createLog } from '../lib/log.ts';

/** The thread that fetches and parses emails for a bulk job. */

const { server, credentials } = workerData as FetchAssignment;
const port = parentPort as MessagePort;
const greet = (greeting: FetcherGreeting) => port.postMessage(greeting);
try {
  const { signal } = new AbortController();
  serveSource(port, await imap.connect(server, credentials, { signal, log: createLog({ level: 'warn' }) }));
  greet({ isConnected: true });
} catch (error) {
  if (!(error instanceof MailError)) throw error;
  greet({ isConnected: false });
}
