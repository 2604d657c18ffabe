import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fetchedMail } from '../../../tests/support/email/mail-samples.ts';
import { MailError, type MailSession, type UidRange } from '../../connectors/mail-connector.ts';
import { createFetchLosses, type FetchCare } from './fetch-losses.ts';
import { fetchUids } from './fetch-uids.ts';

const UIDS = Array.from({ length: 10 }, (_, index) => index + 1);
const USUAL: FetchCare = { isCareful: false, unreadable: [] };

/** A server with emails 1 to 10, where some end in an error. */
function sourceWith(failures: Readonly<Record<number, MailError['kind']>>) {
  const asked: UidRange[] = [];
  const source: Pick<MailSession, 'fetch'> = {
    async fetch(_, range, take) {
      asked.push(range);
      for (const uid of UIDS.filter((each) => each >= range.from && each <= range.to)) {
        const kind = failures[uid];
        if (kind) throw new MailError(kind, 'failed');
        await take([fetchedMail(uid)]);
      }
    },
  };
  return { source, asked };
}

async function fetchFrom(source: Pick<MailSession, 'fetch'>, care = USUAL, uids: readonly number[] = UIDS) {
  const taken = new Set<number>();
  const unreadable: number[] = [];
  const losses: (number | undefined)[] = [];
  const error = await fetchUids(source, {
    path: 'INBOX',
    uids,
    care,
    take: async (batch) => {
      for (const { uid } of batch) taken.add(uid);
    },
    unreadable: (uid) => unreadable.push(uid),
    lost: (uid) => losses.push(uid),
  }).then(
    () => undefined,
    (thrown: MailError) => thrown.kind,
  );
  return { taken: [...taken], unreadable, losses, error };
}

describe('emails', () => {
  test('are fetched together', async () => {
    const { source, asked } = sourceWith({});

    const { taken } = await fetchFrom(source);

    assert.deepEqual(taken, UIDS);
    assert.deepEqual(asked, [{ from: 1, to: 10 }]);
  });

  test('that are refused are left out', async () => {
    const { source } = sourceWith({ 4: 'refused', 9: 'refused' });

    const { taken, unreadable, error } = await fetchFrom(source);

    assert.deepEqual([taken, unreadable, error], [[1, 2, 3, 5, 6, 7, 8, 10], [4, 9], undefined]);
  });

  test('of a folder that cannot be read are refused', async () => {
    const { source } = sourceWith(Object.fromEntries(UIDS.map((uid) => [uid, 'refused'])));

    const { unreadable, error } = await fetchFrom(source);

    assert.deepEqual([unreadable, error], [[], 'refused']);
  });

  test('that were not asked for are not taken', async () => {
    const { source } = sourceWith({});

    const { taken } = await fetchFrom(source, USUAL, [2, 5, 6]);

    assert.deepEqual(taken, [2, 5, 6]);
  });

  test('are asked for one by one after losses, and not at all if they are the reason', async () => {
    const { source, asked } = sourceWith({ 3: 'lost' });

    const together = await fetchFrom(source);
    const careful = await fetchFrom(source, { isCareful: true, unreadable: [] });
    const without = await fetchFrom(source, { isCareful: false, unreadable: [3] });

    assert.deepEqual([together.error, together.losses], ['lost', [undefined]]);
    assert.deepEqual([careful.error, careful.losses, careful.taken], ['lost', [3], [1, 2]]);
    assert.deepEqual([without.error, without.taken], [undefined, UIDS.filter((uid) => uid !== 3)]);
    assert.ok(!asked.slice(-2).some(({ from, to }) => from <= 3 && to >= 3));
  });
});

describe('losses', () => {
  test('at one place make the next attempts careful, and name the email in the end', () => {
    const losses = createFetchLosses();
    const folder = { folder: 1, uidValidity: '7' };

    const cares = [{ from: 1 }, { from: 1 }, { from: 1, uid: 5 }, { from: 5, uid: 5 }].map((loss) => {
      losses.add({ ...folder, ...loss });
      return losses.careFor(1, '7');
    });

    assert.deepEqual(
      cares.map(({ isCareful }) => isCareful),
      [false, true, true, false],
    );
    assert.deepEqual(
      cares.map(({ unreadable }) => unreadable),
      [[], [], [], [5]],
    );
    assert.deepEqual(losses.careFor(1, '8'), { isCareful: false, unreadable: [] });
  });

  test('at different places are those of a bad network', () => {
    const losses = createFetchLosses();

    for (let from = 1; from < 50; from += 1) losses.add({ folder: 1, uidValidity: '7', from });

    assert.deepEqual(losses.careFor(1, '7'), { isCareful: false, unreadable: [] });
  });
});
