import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { emailStore } from '../email/store.ts';
import { runBulkJob } from '../email/sync/bulk-job.ts';
import {
  type BulkAssignment,
  type BulkMessage,
  failureOf,
  isConnected,
  THREAD_LIMITS,
} from '../email/sync/bulk-runner.ts';
import { remoteSource } from '../email/sync/remote-source.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { openStore } from '../storage/store.ts';

/** The thread of one bulk job: stores emails on its own connection, while another thread fetches them. */

const assignment = workerData as BulkAssignment;
const post = (message: BulkMessage) => (parentPort as MessagePort).postMessage(message);
const { server, credentials } = assignment;
const fetcher = new Worker(fetchWorkerUrl(), { workerData: { server, credentials }, resourceLimits: THREAD_LIMITS });
try {
  post((await isConnected(fetcher)) ? await run() : { kind: 'no-connection' });
} catch (error) {
  post(failureOf(error));
} finally {
  await fetcher.terminate();
}

async function run(): Promise<BulkMessage> {
  const { home, url, migrations, request } = assignment;
  const source = remoteSource(fetcher);
  const store = await openStore({ home, url, migrations, clock: systemClock, log: createLog({ level: 'warn' }) });
  try {
    const { mail } = await store.of(emailStore);
    const result = await runBulkJob(request, {
      mail,
      source,
      // The main thread ends this one instead; what was not committed is fetched again.
      signal: new AbortController().signal,
      progress: (done, total) => post({ kind: 'progress', done, total }),
      lost: (loss) => post({ kind: 'lost', loss }),
      unreadable: (folder, uid) => post({ kind: 'unreadable', folder, uid }),
    });
    return { kind: 'done', result };
  } finally {
    await store.close();
  }
}

/** In the same folder as this file, both in the source tree and in the bundle. */
function fetchWorkerUrl(here: string = import.meta.url): URL {
  return new URL(here.endsWith('.ts') ? './mail-fetch-worker.ts' : './mail-fetch-worker.js', here);
}
