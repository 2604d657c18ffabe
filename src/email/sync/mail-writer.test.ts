import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mailToStore } from '../../../tests/support/email/mail-samples.ts';
import type { MailBatch, MailStore } from '../ports.ts';
import { createMailWriter } from './mail-writer.ts';

/** A store that takes each batch when it is told to. */
function recordingStore() {
  const batches: (Pick<MailBatch, 'folder' | 'progress'> & { uids: number[] })[] = [];
  const store: Pick<MailStore, 'record' | 'saveProgress'> = {
    async record({ folder, mails, progress }) {
      batches.push({ folder, uids: mails.map(({ uid }) => uid), ...(progress ? { progress } : {}) });
      return { added: mails.length, ids: [] };
    },
    async saveProgress(folder, progress) {
      batches.push({ folder, uids: [], progress });
    },
  };
  return { batches, store };
}

const mails = (from: number, count: number) => Array.from({ length: count }, (_, index) => mailToStore(from + index));

describe('the writer of a bulk job', () => {
  test('stores all emails in their order, and saves progress after what it covers', async () => {
    const { batches, store } = recordingStore();
    const counts: number[] = [];
    const writer = createMailWriter('work', store, (count) => counts.push(count));

    for (let uid = 1; uid <= 1_201; uid += 100) await writer.add(1, mails(uid, 100));
    writer.complete(1, { low: 1 });
    writer.skipped(5);
    await writer.add(2, mails(1, 3));
    writer.complete(2, { low: 1 });
    writer.complete(3, { low: 1 });
    await writer.end();

    assert.deepEqual(
      batches.flatMap(({ folder, uids }) => (folder === 1 ? uids : [])),
      Array.from({ length: 1_300 }, (_, index) => index + 1),
    );
    for (const folder of [1, 2, 3]) {
      const own = batches.filter((batch) => batch.folder === folder);
      assert.deepEqual(
        own.map(({ progress }) => progress !== undefined),
        own.map((_, index) => index === own.length - 1),
      );
    }
    assert.equal(counts.at(-1), 1_308);
  });

  test('stores nothing after a failure, and tells of it', async () => {
    const { batches, store } = recordingStore();
    const full = new Error('the disk is full');
    const failing = { ...store, record: async () => Promise.reject(full) };
    const writer = createMailWriter('work', failing, () => {});

    await writer.add(1, mails(1, 600));
    writer.complete(1, { low: 1 });

    await assert.rejects(writer.end(), full);
    await assert.rejects(writer.add(1, mails(700, 1)), full);
    assert.deepEqual(batches, []);
  });
});
