import type { Worker } from 'node:worker_threads';
import type { StoreAddress } from '../../capability.ts';
import { type MailCredentials, MailError, type MailServer } from '../../connectors/mail-connector.ts';
import type { BulkHow } from './account-connection.ts';
import type { BulkRequest } from './bulk-job.ts';

/** What the storing thread gets; it opens the store by itself, and starts the fetching thread. */
export interface BulkAssignment extends StoreAddress, FetchAssignment {
  request: BulkRequest;
}

export interface FetchAssignment {
  server: MailServer;
  credentials: MailCredentials;
}

export type BulkMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done' }
  | { kind: 'failed'; message: string; mailError?: MailError['kind'] };

/** Garbage is collected early, so that a large mailbox needs no more memory than a small one. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 };

/** Runs a bulk job in threads of its own, so that no caller waits for it. `module` is what the storing thread runs. */
export async function runInThreads(
  module: URL,
  assignment: BulkAssignment,
  { signal, progress }: BulkHow,
): Promise<void> {
  const { Worker } = await import('node:worker_threads');
  signal.throwIfAborted();
  const worker = new Worker(module, { workerData: assignment, resourceLimits: THREAD_LIMITS });
  const end = () => void worker.terminate();
  signal.addEventListener('abort', end, { once: true });
  try {
    await outcomeOf(worker, progress, signal);
  } finally {
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}

function outcomeOf(worker: Worker, progress: BulkHow['progress'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: BulkMessage) => {
      if (message.kind === 'progress') progress(message.done, message.total);
      else if (message.kind === 'done') resolve();
      else reject(message.mailError ? new MailError(message.mailError, message.message) : new Error(message.message));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(signal.aborted ? signal.reason : new Error('the thread of the sync ended early')));
  });
}
