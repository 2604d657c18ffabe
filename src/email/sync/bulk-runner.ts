import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { StoreAddress } from '../../capability.ts';
import { type MailCredentials, MailError, type MailServer } from '../../connectors/mail-connector.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { returnFreedMemory } from '../../lib/allocator.ts';
import { letNewSpaceGrow } from '../../lib/garbage-collection.ts';
import { THREAD_LIMITS } from '../../lib/worker.ts';
import type { BulkHow } from './account-connection.ts';
import type { BulkRequest, BulkResult } from './bulk-job.ts';
import type { FetchLoss } from './fetch-losses.ts';
import { FETCHER_ENDED } from './remote-source.ts';

/** What the storing thread gets; it opens the store by itself, and starts the fetching thread. */
export interface BulkAssignment extends StoreAddress, FetchAssignment {
  request: BulkRequest;
}

export interface FetchAssignment {
  server: MailServer;
  credentials: MailCredentials;
}

/** The first message of the fetching thread. */
export interface FetcherGreeting {
  isConnected: boolean;
}

export type BulkMessage =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'lost'; loss: FetchLoss }
  | { kind: 'unreadable'; folder: number; uid: number }
  | { kind: 'done'; result: BulkResult }
  /** The server allows no further connection. */
  | { kind: 'no-connection' }
  | { kind: 'failed'; message: string; mailError?: MailError['kind']; code?: ErrorCode };

/**
 * Runs a bulk job in threads of its own, so that no caller waits for it. `module` is what the storing thread runs. Undefined if no
 * further connection to the server could be made.
 */
export async function runInThreads(
  module: URL,
  assignment: BulkAssignment,
  how: BulkHow,
): Promise<BulkResult | undefined> {
  const { signal } = how;
  const { Worker } = await import('node:worker_threads');
  signal.throwIfAborted();
  returnFreedMemory();
  letNewSpaceGrow();
  const worker = new Worker(module, { workerData: assignment, resourceLimits: THREAD_LIMITS });
  const end = () => void worker.terminate();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await outcomeOf(worker, how);
  } finally {
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}

function outcomeOf(worker: Worker, { progress, lost, unreadable, signal }: BulkHow): Promise<BulkResult | undefined> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: BulkMessage) => {
      switch (message.kind) {
        case 'progress':
          return progress(message.done, message.total);
        case 'lost':
          return lost(message.loss);
        case 'unreadable':
          return unreadable(message.folder, message.uid);
        case 'done':
          return resolve(message.result);
        case 'no-connection':
          return resolve(undefined);
        case 'failed':
          return reject(toError(message));
      }
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(signal.aborted ? signal.reason : new Error('the thread of the sync ended early')));
  });
}

/** Whether the fetching thread could sign in to the server. */
export async function isConnected(fetcher: Worker): Promise<boolean> {
  const ended = once(fetcher, 'exit').then(() => Promise.reject(new Error(FETCHER_ENDED)));
  const [greeting] = (await Promise.race([once(fetcher, 'message'), ended])) as [FetcherGreeting];
  return greeting.isConnected;
}

/** For the other direction. */
export function failureOf(error: unknown): BulkMessage {
  const { message } = error as Error;
  if (error instanceof MailError) return { kind: 'failed', message, mailError: error.kind };
  return { kind: 'failed', message, ...(error instanceof AppError ? { code: error.code } : {}) };
}

function toError({ message, mailError, code }: Extract<BulkMessage, { kind: 'failed' }>): Error {
  if (mailError) return new MailError(mailError, message);
  return code ? new AppError(code, message) : new Error(message);
}
