import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { emailStore } from '../email/store.ts';
import { runBulkJob } from '../email/sync/bulk-job.ts';
import { type BulkAssignment, type BulkMessage, failureOf, isConnected } from '../email/sync/bulk-runner.ts';
import { remoteSource } from '../email/sync/remote-source.ts';
import { THREAD_LIMITS, workerUrl } from '../lib/worker.ts';
import { withOwnStore } from '../storage/thread-store.ts';

/** The thread of one bulk job: stores emails on its own connection, while another thread fetches them. */

const assignment = workerData as BulkAssignment;
const post = (message: BulkMessage) => (parentPort as MessagePort).postMessage(message);
const { server, credentials } = assignment;
/** It makes far more short-lived objects than other threads: in twice the memory, half of the work of collecting them is saved. */
const FETCHER_LIMITS = { ...THREAD_LIMITS, maxYoungGenerationSizeMb: 8 };
const fetcher = new Worker(workerUrl('./mail-fetch-worker', import.meta.url), {
  workerData: { server, credentials },
  resourceLimits: FETCHER_LIMITS,
});
try {
  post((await isConnected(fetcher)) ? await run() : { kind: 'no-connection' });
} catch (error) {
  post(failureOf(error));
} finally {
  await fetcher.terminate();
}

async function run(): Promise<BulkMessage> {
  const source = remoteSource(fetcher);
  return withOwnStore(assignment, async (store) => {
    const { mail } = await store.of(emailStore);
    const result = await runBulkJob(assignment.request, {
      mail,
      source,
      // The main thread ends this one instead; what was not committed is fetched again.
      signal: new AbortController().signal,
      progress: (done, total) => post({ kind: 'progress', done, total }),
      lost: (loss) => post({ kind: 'lost', loss }),
      unreadable: (folder, uid) => post({ kind: 'unreadable', folder, uid }),
    });
    return { kind: 'done', result };
  });
}
