import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { chatStore } from '../chat/store.ts';
import { AppError } from '../domain/errors.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { openStore } from '../storage/store.ts';
import type { ImportAssignment, ImportMessage } from './import.ts';
import { importArchive } from './import-run.ts';

/** Imports run here, on a connection of their own, so that nobody waits for them. */

const port = parentPort as MessagePort;
const { home, url, migrations, request } = workerData as ImportAssignment;

try {
  const log = createLog({ level: 'warn' });
  const store = await openStore({ home, url, migrations, clock: systemClock, log });
  try {
    const { messages } = await store.of(chatStore);
    const report = await importArchive(messages, request, {
      // Whoever no longer wants it ends the thread; what is not committed then has not begun.
      signal: new AbortController().signal,
      progress: (done, total) => post({ kind: 'progress', done, total }),
      begin: askToBegin,
    });
    post({ kind: 'done', report });
  } finally {
    await store.close();
  }
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  post({ kind: 'failed', error: error.toJSON(), cause: String(error.cause) });
}

async function askToBegin(): Promise<void> {
  const answer = once(port, 'message');
  post({ kind: 'begin' });
  await answer;
}

function post(message: ImportMessage): void {
  port.postMessage(message);
}
