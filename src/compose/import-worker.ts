import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { runImportJob } from '../chat/import/job.ts';
import type { ImportAssignment } from '../chat/import/runner.ts';
import { chatStore } from '../chat/store.ts';
import { importArchive } from '../connectors/archive/import-archive.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { openStore } from '../storage/store.ts';

/** The thread of one import, with its own connection to the store. */

const { home, url, migrations, request } = workerData as ImportAssignment;
const { source, ...wanted } = request;

await runImportJob(parentPort as MessagePort, async (how) => {
  const log = createLog({ level: 'warn' });
  const store = await openStore({ home, url, migrations, clock: systemClock, log });
  try {
    const { archives } = await store.of(chatStore);
    return await importArchive(
      { record: (events) => archives.record(source, events), finish: archives.finish },
      wanted,
      how,
    );
  } finally {
    await store.close();
  }
});
