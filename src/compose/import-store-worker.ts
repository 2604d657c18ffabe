import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type StoringAssignment, storeForReader } from '../chat/import/storing-thread.ts';
import { chatStore } from '../chat/store.ts';
import { openOwnStore } from '../storage/thread-store.ts';

/** The thread of an import that stores. */

const { source, ...address } = workerData as StoringAssignment;
const port = parentPort as MessagePort;

const opening = openOwnStore(address);
const archives = opening.then(async (store) => (await store.of(chatStore)).archives);
await storeForReader(port, source, archives);
// A store that could not be opened was reported.
const store = await opening.catch(() => undefined);
await store?.close();
port.close();
