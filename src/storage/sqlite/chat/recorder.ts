import type { Batch, Recorded } from '../../../chat/ports.ts';
import type { IndexedText } from '../../../domain/indexed-text.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database, WriteOptions } from '../database.ts';
import { knownMessages } from './known-messages.ts';
import { createIdAllocator } from './message-ids.ts';
import { prepareEvents, wordCount } from './prepare-events.ts';
import { recordBatch } from './record-batch.ts';
import { createVocabulary } from './vocabulary.ts';

/** Records a batch in one transaction, as `prepareEvents` prepares it. `chats`: their keys; `words`: about how many it added to the index. */
export type Recorder = (
  batch: Batch,
  options: WriteOptions & { texts?: readonly IndexedText[] | undefined },
) => Promise<{ recorded: Recorded; chats: readonly number[]; words: number }>;

export function createRecorder(db: Database, clock: Clock): Recorder {
  const ids = createIdAllocator();
  const vocabulary = createVocabulary();
  return async (batch, { texts, ...options }) => {
    const known = batch.origin === 'live' ? undefined : await db.read((reader) => knownMessages(reader, batch));
    const events = await prepareEvents(batch, { ...(known ? { known } : {}), ...(texts ? { texts } : {}) });
    const { recorded, directory, onCommitted } = await db.write(
      (tx) => recordBatch(tx, batch, events, { ids, vocabulary, now: clock.now() }),
      options,
    );
    onCommitted();
    return { recorded, chats: directory.chatKeys(), words: wordCount(events.map(({ indexed }) => indexed)) };
  };
}
