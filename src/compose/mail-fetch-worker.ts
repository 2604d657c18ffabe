import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { imap } from '../connectors/imap/index.ts';
import type { FetchAssignment } from '../email/sync/bulk-runner.ts';
import { serveSource } from '../email/sync/remote-source.ts';
import { createLog } from '../lib/log.ts';

/** The thread that fetches and parses emails for a bulk job. */

const { server, credentials } = workerData as FetchAssignment;
const signal = new AbortController().signal;

serveSource(
  parentPort as MessagePort,
  await imap.connect(server, credentials, { signal, log: createLog({ level: 'warn' }) }),
);
