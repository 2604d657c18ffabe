import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mailToStore } from '../../../tests/support/email/mail-samples.ts';
import type { MailBatch, MailStore } from '../ports.ts';
import { createMailWriter } from './mail-writer.ts';

const PLACE = { account: 'work', folder: 1, expected: { uidValidity: '7', low: 5_000 } };

/** A store that keeps what it is given. */
function recordingStore() {
  const batches: (Pick<MailBatch, 'progress' | 'expected'> & { uids: number[] })[] = [];
  const store: Pick<MailStore, 'record' | 'saveProgress'> = {
    async record({ mails, progress, expected = { uidValidity: '' } }) {
      batches.push({ uids: mails.map(({ uid }) => uid), expected, ...(progress ? { progress } : {}) });
      return { added: mails.length, ids: [] };
    },
    async saveProgress(_, progress, expected = { uidValidity: '' }) {
      batches.push({ uids: [], expected, progress });
    },
  };
  return { batches, store };
}

const mails = (from: number, count: number) => Array.from({ length: count }, (_, index) => mailToStore(from + index));

describe('the writer of a bulk job', () => {
  test('stores all emails in their order, and saves progress after what it covers', async () => {
    const { batches, store } = recordingStore();
    let counted = 0;
    const writer = createMailWriter(PLACE, store, (count) => {
      counted += count;
    });

    for (let uid = 1; uid <= 1_201; uid += 100) await writer.add(mails(uid, 100));
    writer.complete({ low: 1 });
    await writer.end();

    assert.deepEqual(
      batches.flatMap(({ uids }) => uids),
      Array.from({ length: 1_300 }, (_, index) => index + 1),
    );
    assert.deepEqual(
      batches.map(({ progress }) => progress !== undefined),
      batches.map((_, index) => index === batches.length - 1),
    );
    assert.equal(counted, 1_300);
  });

  test('expects the folder to be as it left it', async () => {
    const { batches, store } = recordingStore();
    const writer = createMailWriter(PLACE, store, () => {});

    await writer.add(mails(4_000, 3));
    writer.complete({ low: 4_000 });
    writer.complete({ low: 3_000 });
    await writer.add(mails(2_000, 1));
    await writer.end();

    assert.deepEqual(
      batches.map(({ expected }) => expected?.low),
      [5_000, 4_000, 3_000],
    );
    assert.ok(batches.every(({ expected }) => expected?.uidValidity === '7'));
  });

  test('waits for enough emails or text for a transaction, until it ends', async () => {
    const { batches, store } = recordingStore();
    const writer = createMailWriter(PLACE, store, () => {});
    const long = mailToStore(1_500, { email: { text: 'x'.repeat(3_000_000) } });

    await writer.add(mails(1, 299));
    const before = batches.length;
    await writer.add(mails(300, 1));
    await writer.add([long, ...mails(1_501, 2)]);
    await writer.end();

    assert.equal(before, 0);
    assert.deepEqual(
      batches.map(({ uids }) => uids.length),
      [300, 1, 2],
    );
  });

  test('stores nothing after a failure, and tells of it', async () => {
    const { batches, store } = recordingStore();
    const full = new Error('the disk is full');
    const failing = { ...store, record: async () => Promise.reject(full) };
    const writer = createMailWriter(PLACE, failing, () => {});

    await writer.add(mails(1, 600));
    writer.complete({ low: 1 });

    await assert.rejects(writer.end(), full);
    await assert.rejects(writer.add(mails(700, 1)), full);
    assert.deepEqual(batches, []);
  });
});
