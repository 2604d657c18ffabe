import type { MessageStore, StoredMessage } from '../../../chat/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database, Reader } from '../database.ts';
import { deleteMessages } from './delete-messages.ts';
import { findMessages } from './find.ts';
import { createMergeScheduler } from './merge-scheduler.ts';
import { parseId } from './message-ids.ts';
import { extentOf, idByExternalId, idsAround, idsByExternalIds, idsOfThread } from './message-lookup.ts';
import { createParticipants } from './participants.ts';
import { createRecorder } from './recorder.ts';
import { messagesOf, withinByteLimit } from './rows.ts';
import { timelinesOf } from './timelines.ts';

export function createMessageStore(db: Database, clock: Clock): MessageStore {
  const recordBatch = createRecorder(db, clock);
  const mergeScheduler = createMergeScheduler(db);

  /** Messages that `find` selects for this id; none if the id is invalid. */
  function from(id: string, find: (reader: Reader, id: number) => number[]): Promise<StoredMessage[]> {
    const wanted = parseId(id);
    if (wanted === undefined) return Promise.resolve([]);
    return db.read((reader) => messagesOf(reader, nearestThatFit(reader, wanted, find(reader, wanted))));
  }

  return {
    async record(batch) {
      // History can be fetched again, and the timeline position is lost together with it, so it need not be durable.
      const durable = batch.origin !== 'newer' && batch.origin !== 'older';
      const { recorded, words } = await recordBatch(batch, { durable });
      mergeScheduler.wordsAdded(words);
      return recorded;
    },
    find: (filter, page) => findMessages(db, filter, page),
    byId: async (id) => (await from(id, (_, own) => [own]))[0],
    byExternalId: (chat, externalId) =>
      db.read((reader) => messagesOf(reader, idByExternalId(reader, chat, externalId))[0]),
    byExternalIds: (chats, externalIds) =>
      db.read((reader) => messagesOf(reader, withinByteLimit(reader, idsByExternalIds(reader, chats, externalIds)))),
    around: (id, before, after) => from(id, (reader, own) => idsAround(reader, own, before, after)),
    thread: (id, limit) => from(id, (reader, own) => idsOfThread(reader, own, limit)),
    ...createParticipants(db),
    timelines: (source) => db.read((reader) => timelinesOf(reader, source)),
    extent: (source, chat) => db.read((reader) => extentOf(reader, source, chat)),
    forgetBefore: (source, timestamp) => deleteMessages(db, source, { before: timestamp }),
  };
}

/** Drops the messages farthest from this one if all together exceed the byte limit. */
function nearestThatFit(reader: Reader, id: number, ids: readonly number[]): number[] {
  const nearest = [...ids].sort((a, b) => Math.abs(a - id) - Math.abs(b - id));
  return [...withinByteLimit(reader, nearest)].sort((a, b) => a - b);
}
