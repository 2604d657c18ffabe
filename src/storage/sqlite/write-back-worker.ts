import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { existing } from './connection.ts';
import type { WriteBackStep } from './write-back.ts';

/** Readers in other processes are not waited for: what they still look at stays in the log for the next time. */
const BUSY_TIMEOUT_MS = 100;

const db = new DatabaseSync(existing(workerData as string), { timeout: BUSY_TIMEOUT_MS });
db.exec('pragma wal_checkpoint(passive)');
tell('nearly');
parentPort?.once('message', () => {
  db.exec('pragma wal_checkpoint(truncate)');
  // The first commit of a new log waits for the disk, whoever makes it.
  db.exec('begin immediate; pragma user_version = 0; commit');
  db.close();
  tell('done');
});

function tell(step: WriteBackStep): void {
  parentPort?.postMessage(step);
}
