import type { Worker } from 'node:worker_threads';
import type { StoreAddress } from '../../capability.ts';
import type { ImportHow, ImportReport, ImportRequest } from '../../domain/archive.ts';
import { AppError } from '../../domain/errors.ts';
import { returnFreedMemory } from '../../lib/allocator.ts';
import { THREAD_LIMITS } from '../../lib/worker.ts';
import { endedEarly, type ImportFailure, toAppError } from './failures.ts';
import type { Imports } from './imports.ts';

/** What the worker gets; the one that it starts opens the store. */
export interface ImportAssignment extends StoreAddress {
  request: ImportRequest;
}

export type ImportMessage =
  | { kind: 'progress'; done: number; total: number }
  /** The worker waits for any reply before it continues. */
  | { kind: 'begin' }
  | { kind: 'done'; report: ImportReport }
  | ({ kind: 'failed' } & ImportFailure);

export interface ImportRunner extends Imports {
  /** Ends running imports: their callers get an error, and recorded messages stay. */
  stop(): Promise<void>;
}

/** The entries of an export with very many files, and a long one, need more memory than what is stored of them. */
const READER_LIMITS = { ...THREAD_LIMITS, maxOldGenerationSizeMb: 256 };

/** Runs each import in a worker with one of its own, so that no caller waits for it. `module` is what the first one runs. */
export function createImportRunner(store: StoreAddress, module: URL): ImportRunner {
  const workers = new Map<string, Worker>();
  let isStopped = false;

  async function start(request: ImportRequest): Promise<Worker> {
    const { Worker } = await import('node:worker_threads');
    if (isStopped) throw endedEarly();
    if (workers.has(request.source)) throw isRunning();
    if (store.url !== 'sqlite') throw noFile();
    returnFreedMemory();
    const worker = new Worker(module, {
      workerData: { ...store, request } satisfies ImportAssignment,
      resourceLimits: READER_LIMITS,
    });
    workers.set(request.source, worker);
    return worker;
  }

  return {
    async run(request, how) {
      how.signal.throwIfAborted();
      const worker = await start(request);
      const end = () => void worker.terminate();
      how.signal.addEventListener('abort', end, { once: true });
      try {
        return await outcome(worker, how);
      } finally {
        how.signal.removeEventListener('abort', end);
        workers.delete(request.source);
        await worker.terminate();
      }
    },
    isRunning: async (source) => workers.has(source),
    async stop() {
      isStopped = true;
      await Promise.all([...workers.values()].map((worker) => worker.terminate()));
    },
  };
}

function outcome(worker: Worker, { progress, begin, signal }: ImportHow): Promise<ImportReport> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: ImportMessage) => {
      if (message.kind === 'progress') progress(message.done, message.total);
      else if (message.kind === 'begin') begin().then(() => worker.postMessage('go'), reject);
      else if (message.kind === 'done') resolve(message.report);
      else reject(toAppError(message));
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(signal.aborted ? signal.reason : endedEarly()));
  });
}

/** Another thread cannot write to a store that is in the memory of this process. */
function noFile(): AppError {
  return new AppError('CONFLICT', 'Archives can be imported only into a store in a file.', {
    hint: 'Set store.url to "sqlite".',
  });
}

function isRunning(): AppError {
  return new AppError('BUSY', 'An import into this source is running already.', {
    field: 'source',
    hint: 'Wait until it is done, or import into another source with --source.',
  });
}
