import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { runImportJob } from '../chat/import/job.ts';
import type { ImportAssignment } from '../chat/import/runner.ts';
import { type StoringAssignment, storingThread } from '../chat/import/storing-thread.ts';
import { importArchive } from '../connectors/archive/import-archive.ts';
import { THREAD_LIMITS, workerUrl } from '../lib/worker.ts';
import { createEventSplitter } from '../storage/sqlite/chat/split-texts.ts';

/** The thread of one import: reads the export, while another thread stores the messages. */

const { request, ...address } = workerData as ImportAssignment;
const { source, ...wanted } = request;
const storing: StoringAssignment = { ...address, source };
const module = workerUrl('./import-store-worker', import.meta.url);

await runImportJob(parentPort as MessagePort, async (how) => {
  const worker = new Worker(module, { workerData: storing, resourceLimits: THREAD_LIMITS });
  const { record, finish, end } = storingThread(worker, createEventSplitter());
  return importArchive({ record, finish }, wanted, how).finally(end);
});
