import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { ImportHow, ImportReport } from '../../domain/archive.ts';
import { failureOf } from './failures.ts';
import type { ImportMessage } from './runner.ts';

/** The worker's side of an import: runs it, and reports to the runner. */
export async function runImportJob(
  port: MessagePort,
  importArchive: (how: ImportHow) => Promise<ImportReport>,
): Promise<void> {
  const post = (message: ImportMessage) => port.postMessage(message);
  try {
    const report = await importArchive({
      // The runner ends the thread instead; uncommitted work is rolled back.
      signal: new AbortController().signal,
      progress: (done, total) => post({ kind: 'progress', done, total }),
      async begin() {
        const answer = once(port, 'message');
        post({ kind: 'begin' });
        await answer;
      },
    });
    post({ kind: 'done', report });
  } catch (error) {
    post({ kind: 'failed', ...failureOf(error) });
  }
}
