import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { MailError } from '../connectors/mail-connector.ts';
import { emailStore } from '../email/store.ts';
import { runBulkJob } from '../email/sync/bulk-job.ts';
import { type BulkAssignment, type BulkMessage, THREAD_LIMITS } from '../email/sync/bulk-runner.ts';
import { remoteSource } from '../email/sync/remote-source.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { openStore } from '../storage/store.ts';

/** The thread of one bulk job: stores emails on its own connection, while another thread fetches them. */

const { home, url, migrations, request, server, credentials } = workerData as BulkAssignment;
const post = (message: BulkMessage) => (parentPort as MessagePort).postMessage(message);

const fetcher = new Worker(fetchWorkerUrl(), { workerData: { server, credentials }, resourceLimits: THREAD_LIMITS });
const source = remoteSource(fetcher);
fetcher.on('error', source.fail);
fetcher.on('exit', () => source.fail(new Error('the thread that fetches emails ended early')));

const store = await openStore({ home, url, migrations, clock: systemClock, log: createLog({ level: 'warn' }) });
try {
  const { mail } = await store.of(emailStore);
  await runBulkJob(request, {
    mail,
    source,
    // The main thread ends this one instead; what was not committed is fetched again.
    signal: new AbortController().signal,
    progress: (done, total) => post({ kind: 'progress', done, total }),
  });
  post({ kind: 'done' });
} catch (error) {
  const { message } = error as Error;
  post({ kind: 'failed', message, ...(error instanceof MailError ? { mailError: error.kind } : {}) });
} finally {
  await store.close();
  await fetcher.terminate();
}

/** In the same folder as this file, both in the source tree and in the bundle. */
function fetchWorkerUrl(here: string = import.meta.url): URL {
  return new URL(here.endsWith('.ts') ? './mail-fetch-worker.ts' : './mail-fetch-worker.js', here);
}
