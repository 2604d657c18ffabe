import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type StoringAssignment, storeForReader } from '../chat/import/storing-thread.ts';
import { chatStore } from '../chat/store.ts';
import { withOwnStore } from '../storage/thread-store.ts';

/** The thread of an import that stores. */

const { source, ...address } = workerData as StoringAssignment;
const port = parentPort as MessagePort;

await withOwnStore(address, async (store) => storeForReader(port, source, (await store.of(chatStore)).archives));
port.close();
